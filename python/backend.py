"""The build backend (PEP 517): make builds the extension, and this packs the wheel.

It needs nothing but this folder's project, make and a C compiler, so that `pip install ./python` works without a
network: a backend from an index would have to be fetched first.
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def _version() -> str:
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        found = re.search(r"^VERSION\s*:=\s*(\S+)", file.read(), re.M)
    assert found, "the Makefile has no VERSION"
    return found.group(1)


def _tag() -> str:
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"cp311-abi3-{platform}"


def _metadata() -> str:
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return f"""Metadata-Version: 2.1
Name: halfspace
Version: {_version()}
Summary: Linear separators and kernel machines, fast, with answers that can be checked
License: BSD-3-Clause
Requires-Python: >=3.11
Requires-Dist: numpy
Provides-Extra: sparse
Requires-Dist: scipy; extra == 'sparse'
Provides-Extra: sklearn
Requires-Dist: scikit-learn; extra == 'sklearn'
Requires-Dist: pandas; extra == 'sklearn'
Description-Content-Type: text/markdown

{readme}"""


def _build() -> str:
    """Build the package; returns its folder."""
    include = sysconfig.get_path("include")
    if not os.path.exists(os.path.join(include, "Python.h")):
        sys.exit(f"halfspace: there is no {include}/Python.h: install the headers of Python (Debian: apt-get install python3-dev)")
    target = os.environ.get("HALFSPACE_BUILD", "build")
    jobs = str(os.cpu_count() or 1)
    subprocess.run(
        ["make", "--no-print-directory", "-s", "-j", jobs, "-C", ROOT, "python-package", f"PYTHON={sys.executable}", f"BUILD={target}"],
        check=True,
        stdout=sys.stderr,
    )
    return os.path.join(ROOT, target, "python")


def _stripped(path: str) -> bytes:
    """The extension without the names that only debuggers use."""
    with tempfile.TemporaryDirectory() as folder:
        smaller = os.path.join(folder, "stripped.so")
        if shutil.which("strip") and subprocess.run(["strip", "--strip-unneeded", "-o", smaller, path]).returncode == 0:
            path = smaller
        with open(path, "rb") as file:
            return file.read()


def _write(wheel_directory: str, contents: dict[str, bytes]) -> str:
    """A wheel with these files, a record of them, and the metadata."""
    info = f"halfspace-{_version()}.dist-info"
    with open(os.path.join(ROOT, "LICENSE"), "rb") as file:
        contents[f"{info}/LICENSE"] = file.read()
    contents[f"{info}/METADATA"] = _metadata().encode()
    contents[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: halfspace\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    )
    record = []
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    contents[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode()
    name = f"halfspace-{_version()}-{_tag()}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path)  # a fixed date: the same files give the same bytes
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data)
    return name


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    package = os.path.join(_build(), "halfspace")
    contents = {}
    for name in sorted(os.listdir(package)):
        path = os.path.join(package, name)
        if name.endswith(".so"):
            contents[f"halfspace/{name}"] = _stripped(path)
        elif name.endswith((".py", ".pyi", "py.typed")):
            with open(path, "rb") as file:
                contents[f"halfspace/{name}"] = file.read()
    return _write(wheel_directory, contents)


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    return _write(wheel_directory, {"halfspace.pth": (_build() + "\n").encode()})


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    raise SystemExit("halfspace: Python's source distribution is the project itself: make a wheel with make python")
