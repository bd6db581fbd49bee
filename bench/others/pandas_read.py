"""Time pandas' C reader on one CSV file, in a process of its own; importing is not timed.

pandas_read.py FILE float32|float64 [round_trip]

By default pandas converts decimals fast and not always to the nearest double; round_trip is its
correctly rounded way, which is what halfspace always does.
"""
import resource
import sys
import time

import pandas

path, precision = sys.argv[1], sys.argv[2]
conversion = sys.argv[3] if len(sys.argv) > 3 else None
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
start = time.perf_counter()
frame = pandas.read_csv(path, engine="c", dtype=precision, float_precision=conversion)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
data = int(frame.memory_usage(index=False).sum())
print(f"seconds={seconds:.6f} rows={len(frame)} cols={frame.shape[1]} data={data} peak={peak} base={base}")
