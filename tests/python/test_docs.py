"""The examples of the documentation: every block of Python runs, and prints what the page says.

The blocks of a page run in order, in one namespace, in a folder that contains examples/iris.csv. Blocks with ">>>" are
doctests. The `console` blocks of docs/python.md run in the same folder, between the others; those of README.md have tests
of their own.
"""
from __future__ import annotations

import doctest
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import halfspace

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(halfspace.__file__).resolve().parents[1]  # the folder that contains the package: BUILD/python
BUILD = PACKAGE.parent
PAGES = {"docs/python.md": ("python", "console"), "python/README.md": ("python",), "README.md": ("python",)}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page, languages):
    """(language, line of the first line of code, code) of each fenced block."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        if match[1] in languages:
            yield match[1], text.count("\n", 0, match.start(2)) + 1, match[2]


def run_doctest(place, line, code, namespace):
    test = doctest.DocTestParser().get_doctest(code, namespace, place, place, line - 1)
    report = []
    failed = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=report.append, clear_globs=False).failed
    namespace.update(test.globs)  # get_doctest copied the namespace
    assert not failed, "".join(report)


def run_console(place, line, code, folder):
    """Each command prints what follows it."""
    program = next((at for at in (BUILD, ROOT / "build") if (at / "halfspace").is_file()), None)
    assert program is not None, f"{place}:{line} needs the command: run make first"
    path = os.pathsep.join([str(program), os.environ.get("PATH", "")])
    for part in re.split(r"^\$ ", code, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        run = subprocess.run(command, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True)
        assert run.returncode == 0, f"{place}:{line}: {command}: status {run.returncode}: {run.stderr}"
        assert doctest.OutputChecker().check_output(expected, run.stdout, FLAGS), f"{place}:{line}: {command} printed:\n{run.stdout}"


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    shutil.copy(ROOT / "examples" / "iris.csv", tmp_path)
    (tmp_path / "examples").mkdir()
    shutil.copy(ROOT / "examples" / "iris.csv", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace = {"__name__": "__main__"}
    found = list(blocks(page, PAGES[page]))
    assert found, f"{page} has no examples"
    for language, line, code in found:
        if language == "console":
            run_console(page, line, code, tmp_path)
        elif ">>> " in code:
            run_doctest(page, line, code, namespace)
        else:
            # Empty lines first, so that a traceback has the lines of the page.
            exec(compile("\n" * (line - 1) + code, page, "exec", dont_inherit=True), namespace)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def test_reference_is_up_to_date():
    """docs/python-reference.md is what tools/python-reference writes."""
    path = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(ROOT / "tools" / "python-reference"), "--check"]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_a_wrong_page_fails(tmp_path):
    """The tests above can fail."""
    with pytest.raises(AssertionError):
        run_doctest("page", 1, ">>> 1 + 1\n3\n", {})
    with pytest.raises(AssertionError):
        run_doctest("page", 1, ">>> missing\n1\n", {})
    with pytest.raises(AssertionError):
        run_console("page", 1, "$ echo a\nb\n", tmp_path)
    with pytest.raises(AssertionError):
        run_console("page", 1, "$ false\n", tmp_path)
