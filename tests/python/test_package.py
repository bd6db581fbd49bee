"""The package as a whole: what it needs, types, documentation, wheels, other builds of Python."""
from __future__ import annotations

import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

import halfspace
from helpers import BUILD, COMMAND, IRIS, ROOT, VERIFIER, python, run

BLOCK = """
    import sys

    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in {names!r}:
                raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

    sys.meta_path.insert(0, Blocker())
    sys.dont_write_bytecode = True
"""


def without(names, code, *arguments, **options):
    """Run a program in a Python in which some packages cannot be imported."""
    import textwrap

    return python(textwrap.dedent(BLOCK.format(names=set(names))) + textwrap.dedent(code), *arguments, **options)


OPTIONAL = ["sklearn", "scipy", "pandas", "tqdm", "matplotlib", "joblib"]


def test_numpy_is_enough():
    """All but sparse matrices and data frames works with numpy alone."""
    said = without(
        OPTIONAL,
        """
        import copy, pickle, warnings
        import numpy as np
        import halfspace

        warnings.simplefilter("error")
        X, y = halfspace.read(sys.argv[1])
        for name in halfspace.__all__:
            cls = getattr(halfspace, name)
            if isinstance(cls, type) and hasattr(cls, "fit") and name != "LoadedModel":
                model = cls(verbose=0).fit(X, y)
                pickle.loads(pickle.dumps(copy.deepcopy(model))).predict(X)
                model.score(X, y), repr(model), model.get_params(), model.set_params(n_jobs=1)
        linear = halfspace.LinearSVM().fit(X[::2], y[::2])
        halfspace.SVC(probability=True).fit(X, y).predict_proba(X)
        halfspace.SVC(kernel="poly").fit(X, y).dual_coef_
        halfspace.bound(linear, test=(X[1::2], y[1::2])).upper
        halfspace.Perceptron(passes="until-converged").fit(X, y == "setosa").audit(X, y == "setosa").held
        linear.plot(X, y, kind="confusion").svg
        if int(sys.argv[2]):
            halfspace.certify(X, y == "setosa").verify()
        try:
            halfspace.LinearSVM().predict(X)
        except halfspace.NotFittedError:
            pass
        for options in ({"as_frame": True}, {"storage": "sparse"}):
            try:
                halfspace.read(sys.argv[1], **options)
            except ImportError as error:
                print(error)
        assert not {name.partition(".")[0] for name in sys.modules} & set(%r)
        """
        % OPTIONAL,
        IRIS,
        int(os.path.exists(VERIFIER)),
        flags=["-X", "dev"],
    )
    assert len(said.splitlines()) == 2
    assert "pandas" in said and "scipy" in said


@pytest.mark.parametrize("missing", [["sklearn"], ["scipy", "sklearn"], ["pandas"]], ids=",".join)
def test_without(missing):
    said = without(
        missing,
        """
        import numpy as np, halfspace
        X, y = halfspace.read(sys.argv[1])
        print(halfspace.LinearSVM().fit(X, y).score(X, y) > 0.9)
        if "scipy" not in sys.argv[2]:
            import scipy.sparse
            print(halfspace.LinearSVM().fit(scipy.sparse.csr_matrix(X), y).score(X, y) > 0.9)
        """,
        IRIS,
        ",".join(missing),
    )
    assert set(said.split()) == {"True"}


def test_import_loads_nothing_else():
    """import halfspace is quick: it imports numpy, and no optional package."""
    said = python("import sys, halfspace; print(sorted({name.partition('.')[0] for name in sys.modules}))")
    assert not set(OPTIONAL) & set(eval(said))


@pytest.mark.parametrize("flags", [["-X", "dev", "-W", "error"], ["-O"], ["-OO"], ["-I", "-X", "utf8"]], ids=" ".join)
def test_import_is_clean(flags):
    code = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import halfspace
        print(halfspace.LinearSVM().fit([[0.0], [1.0]], [0, 1]).predict([[1.0]]))
        """
    done = python(code, BUILD / "python", flags=flags, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == "[1]\n"


def test_types():
    """mypy --strict finds nothing."""
    if not shutil.which("mypy"):
        pytest.skip("mypy is not installed")
    command = ["mypy", "--strict", "--no-incremental", "--cache-dir", os.devnull]
    done = subprocess.run(command, cwd=ROOT / "python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stub_has_every_function():
    """halfspace/_core.pyi has the functions of the extension, with their numbers of arguments."""
    core = halfspace._core
    text = (ROOT / "python" / "halfspace" / "_core.pyi").read_text()
    stubs = set(re.findall(r"^(?:def|class) (\w+)", text, re.M))
    assert stubs == {name for name in dir(core) if not name.startswith("_")}
    with pytest.raises(TypeError, match="expected 6 arguments"):
        core.train()


MODULES = [f"halfspace.{one.name}" for one in pkgutil.iter_modules(halfspace.__path__) if one.name != "_core"]
MODULES.insert(0, "halfspace")


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(IRIS, tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


def test_there_are_doctests():
    finder = doctest.DocTestFinder()
    examples = [test for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples]
    classes = {test.name.rpartition(".")[2] for test in examples}
    for name in halfspace.__all__:
        if isinstance(getattr(halfspace, name), type) and hasattr(getattr(halfspace, name), "fit") and name != "LoadedModel":
            assert name in classes, f"{name} has no example"


def test_estimators_are_generated():
    """python/halfspace/_estimators.py is what python/generate.py writes."""
    done = run(sys.executable, ROOT / "python" / "generate.py", BUILD / "python", "--check", check=False)
    assert done.returncode == 0, done.stderr
    name = pathlib.Path("python", "halfspace", "_estimators.py")
    assert (ROOT / name).read_text() == (BUILD / name).read_text()


def test_every_option_is_a_parameter():
    """What the command's learners can do, the classes can do, too."""
    sys.path.insert(0, str(ROOT / "python"))
    try:
        import generate
    finally:
        sys.path.pop(0)
    for table in halfspace._core.tables("learner"):
        classes = [getattr(halfspace, name) for name in halfspace.__all__]
        ours = set()
        for cls in classes:
            if isinstance(cls, type) and getattr(cls, "_learner", None) == table["name"]:
                ours |= {option for option, _ in cls._options.values()}
        missing = {option["name"] for option in table["options"]} - ours - generate.DROPPED
        if table["name"] == "svm":
            missing -= {"approx"}  # Classifier("svm", kernel="rbf", approx="nystrom:100") has it
        assert not missing, f"{table['name']}: {missing}"


def test_version():
    assert run(COMMAND, "--version").split() == ["halfspace", halfspace.__version__]


def test_docstrings():
    """Every public class, function, method and property is documented."""
    missing = []
    for name in halfspace.__all__:
        thing = getattr(halfspace, name)
        if not inspect.getdoc(thing):
            missing.append(name)
        if isinstance(thing, type):
            for attribute in dir(thing):
                if attribute.startswith("_") or hasattr(BaseException, attribute):
                    continue
                member = inspect.getattr_static(thing, attribute)
                if isinstance(member, property) or inspect.isroutine(member):
                    if not inspect.getdoc(member):
                        missing.append(f"{name}.{attribute}")
    assert not missing
    assert halfspace.__doc__


def test_parameters_are_documented():
    for name in halfspace.__all__:
        cls = getattr(halfspace, name)
        if isinstance(cls, type) and hasattr(cls, "_options"):
            for parameter in inspect.signature(cls.__init__).parameters.values():
                if parameter.name != "self" and parameter.kind is not parameter.VAR_KEYWORD:
                    assert re.search(rf"^    {parameter.name} : ", cls.__doc__, re.M), f"{name}: {parameter.name}"


def test_all():
    """__all__ is sorted, has no duplicates, and is what the package shows."""
    assert halfspace.__all__ == sorted(set(halfspace.__all__))
    shown = {name for name, thing in vars(halfspace).items() if not name.startswith("_") and not inspect.ismodule(thing)}
    assert shown - {"annotations"} == set(halfspace.__all__)


# ---- Wheels ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built without a network."""
    pytest.importorskip("pip")
    folder = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "HALFSPACE_BUILD": os.path.relpath(BUILD, ROOT)}
    environment.pop("PYTHONPATH")
    command = [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps", "-w", str(folder), str(ROOT / "python")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_wheel(wheel):
    assert re.fullmatch(rf"halfspace-{re.escape(halfspace.__version__)}-cp311-abi3-\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        metadata = archive.read(f"halfspace-{halfspace.__version__}.dist-info/METADATA").decode()
    modules = {path.name for path in (ROOT / "python" / "halfspace").iterdir() if path.suffix in (".py", ".pyi", ".typed")}
    packed = {name.partition("/")[2] for name in names if name.startswith("halfspace/")}
    assert packed == modules | {"_core.abi3.so", "py.typed"}
    assert f"Version: {halfspace.__version__}" in metadata
    assert "Requires-Dist: numpy\n" in metadata


def test_wheel_installs(wheel, tmp_path):
    pytest.importorskip("venv")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "env", env=environment)
    ours = tmp_path / "env" / "bin" / "python"
    run(ours, "-m", "pip", "--disable-pip-version-check", "install", "--no-index", wheel, env=environment)
    code = """
import sys, halfspace
X, y = halfspace.read(sys.argv[1])
print(halfspace.__file__, halfspace.LinearSVM().fit(X, y).score(X, y) > 0.9, halfspace.__version__)
"""
    where, right, version = run(ours, "-c", code, IRIS, env=environment, cwd=tmp_path).split()
    assert pathlib.Path(where).is_relative_to(tmp_path / "env")
    assert right == "True"
    assert version == halfspace.__version__
    shown = run(ours, "-m", "pip", "--disable-pip-version-check", "show", "--files", "halfspace", env=environment)
    assert "halfspace/_core.abi3.so" in shown
    checked = run(ours, "-m", "pip", "--disable-pip-version-check", "check", env=environment, check=False)
    assert "halfspace" not in checked.stdout


def test_wheels_are_reproducible(wheel, tmp_path):
    code = "import sys; sys.path.insert(0, sys.argv[1]); import backend; print(backend.build_wheel(sys.argv[2]))"
    name = python(code, ROOT / "python", tmp_path, HALFSPACE_BUILD=os.path.relpath(BUILD, ROOT)).strip()
    assert (tmp_path / name).read_bytes() == wheel.read_bytes()


def test_only_the_stable_interface():
    """The extension uses names of Python's stable interface only, so that later versions can load it."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed")
    library = pathlib.Path(halfspace._core.__file__)
    assert library.name == "_core.abi3.so"
    used = {line.split()[-1].partition("@")[0] for line in run(nm, "-D", "--undefined-only", library).splitlines()}
    used = {name for name in used if name.startswith(("Py", "_Py"))}
    assert len(used) >= 20
    stable = {"_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct"}
    assert not {name for name in used if name.startswith("_Py") and name not in stable and not name.endswith("_SizeT")}
    exported = {line.split()[-1] for line in run(nm, "-D", "--defined-only", library).splitlines()}
    assert {name for name in exported if not name.startswith("_")} == {"PyInit__core"}, "names that could clash with others"


# ---- A debug build of Python -----------------------------------------------------------------------


DEBUG = next((path for path in map(shutil.which, ("python3-dbg", "python3.11-dbg", "python3.11d")) if path), None)


def test_debug_build(capsys):
    """In a debug build of Python, which checks all references, calls work and leave none behind."""
    if DEBUG is None:
        pytest.skip("there is no debug build of Python here")
    if subprocess.run([DEBUG, "-c", "import numpy"], capture_output=True).returncode:
        pytest.skip("the debug build of Python has no numpy")
    code = """
import gc, sys
import numpy as np, halfspace
from halfspace import *

random = np.random.default_rng(0)
X, y = random.normal(size=(30, 4)), np.arange(30) % 2
wrong = X * np.nan

def fails(call, *arguments):
    try:
        call(*arguments)
    except (ValueError, OSError):
        return
    raise AssertionError

def work():
    model = LinearSVM(loss="hinge").fit(X, y)
    model.predict(X), model.coef_, model.report_, model.metadata_, halfspace.bound(model, train=(X, y))
    SVC().fit(X, y).dual_coef_
    KNeighborsClassifier().fit(X, y).kneighbors(X)
    Perceptron().fit(X, y).audit(X, y)
    LogisticRegression().fit(X, y, np.arange(30.0)).predict_proba(X)
    model.plot(X, y, kind="confusion").data
    halfspace.read(sys.argv[1])
    halfspace._core.unpack(halfspace._core.pack(model._fitted()))
    fails(LinearSVM().fit, wrong, y), fails(model.predict, wrong), fails(LinearSVM(C=-1).fit, X, y)
    fails(LPSeparator(soft=False).fit, [[0.0], [1.0], [2.0]], [0, 1, 0])
    fails(halfspace.load, "/nowhere"), fails(halfspace.read, "/nowhere")

def counted():
    gc.collect()
    common = [None, True, False, (), "", 0, 1, halfspace._core.Error, halfspace._core.Array, np.dtype("f8"), ValueError]
    return np.array([sys.getallocatedblocks(), *map(sys.getrefcount, common)])

for _ in range(100):
    work()
before = counted()
for _ in range(1000):
    work()
print(np.abs(counted() - before).max())
"""
    # sys.gettotalrefcount is of no use: numpy and this extension are built without its counter
    done = subprocess.run([DEBUG, "-X", "dev", "-c", code, str(IRIS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    grown = int(done.stdout)
    with capsys.disabled():
        print(f"  {DEBUG}: 1,000 rounds of 20 calls left at most {grown} objects or references")
    assert grown <= 700  # a leak would be one in each round, 1,000; the interpreter's caches grow by some hundred
