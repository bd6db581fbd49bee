"""The project's form of test results: pytest tests/python --lines prints one line per test, "ok NAME", "FAILED NAME" or
"skipped NAME: why", and the counts at the end. tests/python/run.sh uses it."""
from __future__ import annotations

import collections
import os
import tempfile

import pytest

# hypothesis keeps tables of Unicode in a folder, by default in the current one
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "halfspace-hypothesis"))

try:
    import hypothesis
except ImportError:
    pass
else:
    # No random seeds and no time limits: a run can be repeated, also on a busy machine.
    examples = int(os.environ.get("HALFSPACE_EXAMPLES", "100"))
    hypothesis.settings.register_profile("halfspace", derandomize=True, deadline=None, database=None, max_examples=examples)
    hypothesis.settings.load_profile("halfspace")

os.environ.setdefault("MPLBACKEND", "Agg")


def pytest_addoption(parser):
    parser.addoption("--lines", action="store_true", help="one line per test, as tests/run.sh has them")


def pytest_configure(config):
    if config.getoption("lines"):
        config.pluginmanager.register(Lines(config))


def pytest_collection_modifyitems(items):
    # A file that is not closed is a bug of the package or of its tests. Examples of the documentation are shorter than that.
    for item in items:
        if item.path.name not in ("test_docs.py", "test_notebook.py"):
            item.add_marker(pytest.mark.filterwarnings("error::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning"))


class Lines:
    """What the terminal shows with --lines."""

    def __init__(self, config):
        self.config = config
        self.counts = collections.Counter()

    def line(self, result, name, why=""):
        self.counts[result] += 1
        path, colons, test = name.partition("::")
        name = " ".join((path.rpartition("/")[2] + colons + test).split())
        why = " ".join(str(why).split())
        self.config.pluginmanager.getplugin("terminalreporter").write_line(f"{result} {name}{': ' if why else ''}{why}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report):
        return report.outcome, "", ""

    def pytest_collectreport(self, report):
        if report.failed:
            self.line("FAILED", report.nodeid, "it cannot be collected")
        elif report.skipped:
            self.line("skipped", report.nodeid, report.longrepr[2])

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.line("FAILED", report.nodeid, "" if report.when == "call" else report.when)
        elif report.skipped and hasattr(report, "wasxfail"):
            self.line("skipped", report.nodeid, f"known to fail: {report.wasxfail}")
        elif report.skipped:
            self.line("skipped", report.nodeid, report.longrepr[2].removeprefix("Skipped: "))
        elif report.when == "call":
            self.line("ok", report.nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session):
        yield
        counts = [self.counts[result] for result in ("ok", "FAILED", "skipped")]
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        terminal.ensure_newline()
        terminal.write_line("{} passed, {} failed, {} skipped".format(*counts))
        if not session.exitstatus and not self.counts["ok"]:
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
