"""What several tests of the package need."""
from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import sys
import textwrap
import warnings

import numpy as np

import halfspace

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build"))
COMMAND = os.environ.get("HALFSPACE", str(BUILD / "halfspace"))
VERIFIER = str(BUILD / "halfspace-verify")
IRIS = ROOT / "examples" / "iris.csv"


def estimator_classes():
    """Every estimator of the package that can be fitted."""
    found = [getattr(halfspace, name) for name in halfspace.__all__]
    return [one for one in found if isinstance(one, type) and hasattr(one, "fit") and one is not halfspace.LoadedModel]


def blobs(rows=80, cols=4, classes=2, seed=0, spread=1.0):
    """Rows around one centre per class, not quite separable; labels 0, 1, ..."""
    random = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    centres = random.normal(size=(classes, cols)) * 1.2
    return centres[y] + spread * random.normal(size=(rows, cols)), y


def run(*command, check=True, **options):
    """A program's standard output."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if check and done.returncode:
        raise AssertionError(f"{command} ended with status {done.returncode}: {done.stderr}")
    return done.stdout if check else done


def python(code, *arguments, flags=(), check=True, timeout=120, **variables):
    """Run a program in a Python of its own; returns what it printed, or the finished process if `check` is false."""
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    command = [sys.executable, *flags, "-c", textwrap.dedent(code), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout)
    if check:
        assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout
    return done


@contextlib.contextmanager
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def same_bits(a, b):
    """Equal as bytes, so that 0 and -0 differ, and a NaN equals itself."""
    a, b = np.asarray(a), np.asarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
