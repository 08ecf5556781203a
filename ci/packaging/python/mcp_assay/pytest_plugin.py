"""A plugin for pytest: `pytest --mcp-server "python server.py"` has one test for each requirement."""

import fnmatch
import json
import shlex
import subprocess
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pytest

from ._certify import Result, certify
from ._program import AssayError, find_program
from .report import Run, Verdict

_KEY = pytest.StashKey["_Certification"]()
#: The test that fails where the server could not be tested.
_TESTED = "could-be-tested"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mcp-assay", "conformance of an MCP server")
    group.addoption("--mcp-server", metavar="COMMAND", help="test the MCP server that this command starts")
    group.addoption("--mcp-url", metavar="URL", help="test the MCP server at this URL")
    group.addoption(
        "--mcp-revision", action="append", metavar="REVISION", help="test this revision (repeatable; default: all)"
    )
    group.addoption("--mcp-tools", metavar="NAMES", help="tools that may be called (default: read-only tools)")
    group.addoption("--mcp-expected-failures", metavar="FILE", help="known violations, which become xfail")
    group.addoption("--mcp-strict", action="store_true", help="a violated SHOULD fails, too")
    group.addoption("--mcp-option", action="append", metavar="WORD", help="a further word for mcp-assay server")


class _Certification:
    """The run that the options ask for, made when the first test needs it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._done: Optional[Result] = None
        self._trouble: Optional[AssayError] = None
        self._command = _words_of("--mcp-server", config.getoption("mcp_server"))
        self._url: Optional[str] = config.getoption("mcp_url")
        if self._url is not None and not self._url.strip():
            raise pytest.UsageError("--mcp-url is empty")

    @property
    def is_wanted(self) -> bool:
        return self._command is not None or self._url is not None

    @property
    def revisions(self) -> List[str]:
        return self._config.getoption("mcp_revision") or []

    def result(self) -> Result:
        """Raises AssayError where there is none."""
        if self._trouble is not None:
            raise self._trouble
        if self._done is None:
            try:
                self._done = self._certify()
            except AssayError as error:
                self._trouble = error
                raise
        return self._done

    def _certify(self) -> Result:
        option: Callable[[str], Any] = self._config.getoption
        return certify(
            self._command,
            url=self._url,
            start=bool(self._command and self._url),
            revisions=self.revisions or None,
            tools=option("mcp_tools"),
            expected_failures=option("mcp_expected_failures"),
            strict=option("mcp_strict"),
            options=option("mcp_option") or [],
        )

    def requirements(self) -> List[Tuple[str, str]]:
        """The rules that can be judged, each with its sentence."""
        rules: Dict[str, str] = {}
        for revision in self.revisions or ["all"]:
            words = ["list", "requirements", "--subject", "server", "--json"]
            if revision != "all":
                words += ["--revision", revision]
            try:
                listed = subprocess.run([*find_program().words, *words], capture_output=True, check=False, text=True)
            except (AssayError, OSError) as error:
                raise pytest.UsageError(str(error)) from error
            if listed.returncode != 0:
                raise pytest.UsageError(listed.stderr.strip())
            for each in json.loads(listed.stdout):
                if each["covered_by"]:
                    rules[each["id"]] = each["summary"]
        return sorted(rules.items())


def _words_of(option: str, command: Optional[str]) -> Optional[List[str]]:
    """A command as a shell takes it. An empty one is often a variable that is not set: nothing would be tested."""
    if command is None:
        return None
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise pytest.UsageError(f"{option}: {error}: {command}") from error
    if not words:
        raise pytest.UsageError(f"{option} is empty")
    return words


class _Broken(Exception):
    """What a failure shows in place of a traceback."""


class RequirementItem(pytest.Item):
    """One rule of the specification, in all runs."""

    def __init__(self, *, certification: _Certification, summary: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._certification = certification
        self._summary = summary

    def runtest(self) -> None:
        try:
            result = self._certification.result()
        except AssayError as error:
            if self.name == _TESTED:
                raise _Broken(str(error)) from None
            pytest.skip(f"the server could not be tested: see {_TESTED}")
        if self.name == _TESTED:
            _check_tested(result)
        else:
            self._judge(result)

    def _judge(self, result: Result) -> None:
        failure = next((each for each in result.failures if each["requirement"] == self.name), None)
        if failure is not None:
            raise _Broken(failure["text"])
        verdicts = _verdicts_of(self.name, result)
        outcomes = [verdict["outcome"] for _, verdict in verdicts]
        for stale in result.report.get("stale_expectations", []):
            if "satisfied" in outcomes and fnmatch.fnmatchcase(self.name, stale["requirement"]):
                raise _Broken(f"{stale['requirement']} is listed as an expected failure, but it holds: remove it")
        for _, verdict in verdicts:
            if "expected" in verdict:
                pytest.xfail(verdict["expected"]["reason"] or "listed as an expected failure")
        for run, verdict in verdicts:
            if verdict["outcome"] == "violated":
                pytest.skip(f"advice, {verdict['level']} violated in {_name_of(run)}: {_why(verdict)}")
        if "satisfied" in outcomes:
            return
        for wanted in ("inconclusive", "not_exercised", "not_applicable"):
            for run, verdict in reversed(verdicts):
                if verdict["outcome"] == wanted:
                    pytest.skip(f"{wanted.replace('_', ' ')} in {_name_of(run)}: {_why(verdict)}")
        pytest.skip("not judged in this run")

    def repr_failure(self, excinfo: "pytest.ExceptionInfo[BaseException]", style: Any = None) -> Any:
        if isinstance(excinfo.value, _Broken):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> Tuple[str, Optional[int], str]:
        return "mcp-assay", None, f"{self.name}: {self._summary}"


class _RequirementCollector(pytest.Collector):
    """The parent of the items, which belong to no file."""

    def __init__(self, *, certification: _Certification, rules: List[Tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._certification = certification
        self._rules = rules

    def collect(self) -> List[pytest.Item]:
        rules = [(_TESTED, "The server could be tested, to the end."), *self._rules]
        return [
            RequirementItem.from_parent(self, name=name, certification=self._certification, summary=summary)
            for name, summary in rules
        ]


def _name_of(run: Run) -> str:
    return f"{run['revision']} {run['transport']}"


def _why(verdict: Verdict) -> str:
    said = verdict.get("detail", "")
    if "caused_by" in verdict:
        said += f" (because of {verdict['caused_by']})"
    if "hint" in verdict:
        said += f" ({verdict['hint']})"
    return said


def _verdicts_of(requirement: str, result: Result) -> List[Tuple[Run, Verdict]]:
    return [
        (run, verdict)
        for run in result.report["runs"]
        for verdict in run["verdicts"]
        if verdict["requirement"] == requirement
    ]


def _check_tested(result: Result) -> None:
    if result.exit_status not in (0, 1):
        raise _Broken(result.text)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_KEY] = _Certification(config)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: List[pytest.Item]) -> None:
    certification = config.stash[_KEY]
    if not certification.is_wanted:
        return
    parent = _RequirementCollector.from_parent(
        session, name="mcp-assay", nodeid="mcp-assay", certification=certification, rules=certification.requirements()
    )
    report = parent.ihook.pytest_make_collect_report(collector=parent)
    parent.ihook.pytest_collectreport(report=report)
    items.extend(report.result)


@pytest.fixture(scope="session")
def mcp_certify() -> Callable[..., Result]:
    """The function mcp_assay.certify."""
    return certify


@pytest.fixture(scope="session")
def mcp_result(pytestconfig: pytest.Config) -> Iterator[Result]:
    """The result for the server of --mcp-server or --mcp-url; the test is skipped without one."""
    certification = pytestconfig.stash[_KEY]
    if not certification.is_wanted:
        pytest.skip("neither --mcp-server nor --mcp-url is given")
    yield certification.result()
