"""The notebook examples/python.ipynb runs without errors, and is stored without outputs."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import halfspace

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
for needed in ("sklearn", "pandas"):
    pytest.importorskip(needed)

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples" / "python.ipynb"
KERNEL = "halfspace-test"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A kernel that is this interpreter, with this package."""
    prefix = tmp_path / "kernel"
    install = [sys.executable, "-m", "ipykernel", "install", "--prefix", str(prefix), "--name", KERNEL]
    subprocess.run(install, check=True, capture_output=True)
    package = os.path.dirname(os.path.dirname(os.path.abspath(halfspace.__file__)))
    monkeypatch.setenv("JUPYTER_PATH", str(prefix / "share" / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])))
    return KERNEL


def execute(notebook, folder, kernel):
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name=kernel, resources={"metadata": {"path": str(folder)}})
    client.execute()


def test_runs(tmp_path, kernel):
    folder = shutil.copytree(ROOT / "examples", tmp_path / "examples")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    execute(notebook, folder, kernel)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs for cell in cells), "a cell of code shows nothing"
    outputs = [output for cell in cells for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    data = [output["data"] for output in outputs if "data" in output]
    assert any("image/svg+xml" in one for one in data), "no figure is shown"
    assert any("verified" in one.get("text/html", "") for one in data), "no verified certificate is shown"


def test_a_cell_that_raises_fails(tmp_path, kernel):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("raise ValueError('planted')")])
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="planted"):
        execute(notebook, tmp_path, kernel)


def test_has_no_outputs():
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
