#!/usr/bin/env python3
"""Is a file a valid safetensors file, and a valid halfspace data cache?

Written from the published description of the formats (safetensors' README and docs/binary-format.md),
sharing nothing with the C code. Plain Python. Exit status 0: valid; 1: not, with a line that says why.

    check_container.py FILE...            the container
    check_container.py --data FILE...     and the data set in it
"""
import json
import math
import struct
import sys
import zlib

HEADER_MAX = 100_000_000
SIZES = {"BOOL": 1, "U8": 1, "I8": 1, "F8_E5M2": 1, "F8_E4M3": 1, "I16": 2, "U16": 2, "F16": 2,
         "BF16": 2, "I32": 4, "U32": 4, "F32": 4, "I64": 8, "U64": 8, "F64": 8}
CODES = {"U8": "B", "U32": "I", "U64": "Q", "F32": "f", "F64": "d"}


class Bad(Exception):
    """What is wrong with the file."""


def need(condition, why):
    if not condition:
        raise Bad(why)


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    need(len(keys) == len(set(keys)), "duplicate keys in the header")
    return dict(pairs)


def whole(x):
    return isinstance(x, int) and not isinstance(x, bool) and x >= 0


def read_container(path):
    """The metadata, the arrays as {name: (dtype, shape, bytes)}."""
    with open(path, "rb") as file:
        content = file.read()
    need(len(content) >= 8, "shorter than 8 bytes")
    (size,) = struct.unpack("<Q", content[:8])
    need(size <= HEADER_MAX, "header larger than 100 MB")
    need(8 + size <= len(content), "header longer than the file")
    text, data = content[8:8 + size], content[8 + size:]
    need(text[:1] == b"{", "header does not start with {")
    need(text.rstrip(b" ")[-1:] == b"}", "header is padded with something other than spaces")
    header = json.loads(text.decode("utf-8"), object_pairs_hook=no_duplicates)
    meta = header.pop("__metadata__", {})
    need(isinstance(meta, dict), "__metadata__ is not an object")
    need(all(isinstance(v, str) for v in meta.values()), "metadata that is not text")
    arrays, spans = {}, []
    for name, info in header.items():
        need(set(info) == {"dtype", "shape", "data_offsets"}, f"{name}: wrong keys")
        dtype, shape, offsets = info["dtype"], info["shape"], info["data_offsets"]
        need(dtype in SIZES, f"{name}: unknown dtype {dtype}")
        need(isinstance(shape, list) and all(map(whole, shape)), f"{name}: bad shape")
        need(isinstance(offsets, list) and len(offsets) == 2 and all(map(whole, offsets)),
             f"{name}: bad offsets")
        begin, end = offsets
        need(begin <= end <= len(data), f"{name}: offsets outside of the file")
        need(math.prod(shape) * SIZES[dtype] == end - begin, f"{name}: shape and offsets differ")
        need((8 + size + begin) % SIZES[dtype] == 0, f"{name}: not aligned")
        spans.append((begin, end))
        arrays[name] = dtype, shape, data[begin:end]
    at = 0
    for begin, end in sorted(spans):
        need(begin == at, f"a gap or an overlap at byte {min(at, begin)} of the data")
        at = end
    need(at == len(data), "bytes behind the last array")
    return meta, arrays


def check_checksums(meta, arrays):
    for name, (_, _, content) in arrays.items():
        need("crc32." + name in meta, f"{name}: no checksum")
        need(meta["crc32." + name] == f"{zlib.crc32(content):08x}", f"{name}: checksum differs")


def numbers(arrays, name, dtypes, shape):
    need(name in arrays, f"no array {name}")
    dtype, found, content = arrays[name]
    need(dtype in dtypes, f"{name}: dtype {dtype}")
    need(found == shape, f"{name}: shape {found}, expected {shape}")
    return struct.unpack(f"<{math.prod(shape)}{CODES[dtype]}", content)


def check_values(meta, arrays, shape):
    dtype = {"single": "F32", "double": "F64"}[meta["precision"]]
    values = numbers(arrays, "values", [dtype], shape)
    need(all(map(math.isfinite, values)), "a value that is not finite")
    return values


def check_data(meta, arrays):
    need(meta.get("format") == "halfspace-data", "format is not halfspace-data")
    need(meta.get("version") == "1", "version is not 1")
    rows, cols, nonzeros = int(meta["rows"]), int(meta["cols"]), int(meta["nonzeros"])
    need(cols <= 2**32, "too many columns")
    if meta["storage"] == "dense":
        values = check_values(meta, arrays, [rows, cols])
        need(sum(v != 0 for v in values) == nonzeros, "nonzeros differ")
    else:
        need(meta["storage"] in ("sparse", "ones"), "unknown storage")
        starts = numbers(arrays, "starts", ["U64"], [rows + 1])
        indices = numbers(arrays, "indices", ["U32"], [nonzeros])
        need(starts[0] == 0 and starts[-1] == nonzeros, "starts do not span the entries")
        for begin, end in zip(starts, starts[1:]):
            need(begin <= end, "starts descend")
            row = indices[begin:end]
            need(all(a < b for a, b in zip(row, row[1:])), "indices of a row do not ascend")
            need(not row or row[-1] < cols, "an index beyond the columns")
        if meta["storage"] == "sparse":
            check_values(meta, arrays, [nonzeros])
        else:
            need("values" not in arrays, "rows of ones with values")
    classes = json.loads(meta["classes"])
    need(len(set(classes)) == len(classes), "class names are not distinct")
    if "features" in meta:
        features = json.loads(meta["features"])
        need(len(features) == len(set(features)) == cols, "wrong number of feature names")
    if "encoding" in meta:
        json.loads(meta["encoding"])
    if "labels" in arrays:
        labels = numbers(arrays, "labels", ["U32"], [rows])
        need(all(label < len(classes) for label in labels), "a label without class")


def main(arguments):
    data = arguments[:1] == ["--data"]
    failed = False
    for path in arguments[data:]:
        try:
            meta, arrays = read_container(path)
            check_checksums(meta, arrays)
            if data:
                check_data(meta, arrays)
        except (Bad, ValueError, KeyError, OSError, struct.error) as problem:
            print(f"{path}: {problem}")
            failed = True
        else:
            print(f"{path}: ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
