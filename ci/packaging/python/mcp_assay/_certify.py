"""Runs the program and reads its events."""

import asyncio
import functools
import json
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Coroutine,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Union,
)

from ._program import AssayError, find_program
from .report import Event, Failure, Report

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    _P = ParamSpec("_P")

_LAST_WORDS = 4096  # bytes of standard error that an error repeats
_PATIENCE = 10  # seconds that the program has for stopping its server, before it is killed

Words = Union[str, Sequence[str]]


@dataclass(frozen=True)
class Result:
    """What a run found."""

    #: No unexpected violation, and everything could be tested.
    conformant: bool
    #: 0 conformant, 1 violations, 3 something could not be tested, 130 cut short.
    exit_status: int
    #: What fails the run: one entry for each rule, the most important first.
    failures: List[Failure]
    #: The report for people, as a terminal shows it.
    text: str
    #: The JSON report.
    report: Report


class _Run:
    """One process of the program."""

    def __init__(self, words: Sequence[str], cwd: Optional[str], program: Optional[str]) -> None:
        command = find_program(program, cwd=cwd).words + list(words)
        self._said = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said
            )
        except OSError as error:
            raise AssayError(f"{error.filename or command[0]}: {error.strerror}") from error

    def events(self) -> Iterator[Event]:
        """The last is 'finished'. Leaving the loop stops the program, which stops its server."""
        is_finished = False
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                event: Event = json.loads(line)
                is_finished = is_finished or event["event"] == "finished"
                yield event
            status = self._process.wait()
            if not is_finished:
                raise AssayError(self._last_words() or f"mcp-assay ended with {status}", status)
        finally:
            self.stop()
            self._process.stdout.close()
            self._said.close()

    def _last_words(self) -> str:
        end = self._said.seek(0, 2)
        self._said.seek(max(0, end - _LAST_WORDS))
        return self._said.read().decode("utf-8", "replace").strip()

    def stop(self) -> None:
        """Asks the program to stop, from any thread, and waits for it."""
        if self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@dataclass(frozen=True)
class _Plan:
    words: List[str]
    cwd: Optional[str]
    program: Optional[str]
    on_event: Optional[Callable[[Event], None]]

    def start(self) -> _Run:
        return _Run(self.words, self.cwd, self.program)


def _list(value: Optional[Words]) -> List[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def plan(
    command: Optional[Words] = None,
    args: Words = (),
    *,
    env: Optional[Mapping[str, str]] = None,
    url: Optional[str] = None,
    sse_url: Optional[str] = None,
    headers: Optional[Mapping[str, str]] = None,
    start: bool = False,
    revisions: Optional[Words] = None,
    tools: Optional[Words] = None,
    scenarios: Optional[Words] = None,
    profiles: Optional[Words] = None,
    expected_failures: Optional[str] = None,
    strict: bool = False,
    quick: bool = False,
    catalogue: Optional[int] = None,
    jobs: Optional[int] = None,
    timeout: Optional[float] = None,
    max_time: Optional[float] = None,
    project: str = "none",
    options: Sequence[str] = (),
    cwd: Optional[str] = None,
    program: Optional[str] = None,
    on_event: Optional[Callable[[Event], None]] = None,
) -> _Plan:
    """Certifies an MCP server. Returns the result, whatever it is; raises AssayError if there is none.

    The server is `command`, with `args` as further words and `env` as further variables, or the one at `url` (with
    `headers`; with `start`, `command` makes it listen there). The names of the other parameters follow the options of
    `mcp-assay server`, which has more about each; `options` are further words for it. `on_event` gets each event.
    """
    words = ["server", "--project", project, "--events", "-", "--color", "never"]
    single: Dict[str, Any] = {
        "--url": url,
        "--sse-url": sse_url,
        "--tools": None if tools is None else ",".join(_list(tools)),
        "--expected-failures": expected_failures,
        "--catalogue": catalogue,
        "--jobs": jobs,
        "--timeout": timeout,
        "--max-time": max_time,
    }
    repeated = {"--revision": revisions, "--scenario": scenarios, "--profile": profiles}
    for option, value in single.items():
        words += [] if value is None else [option, str(value)]
    for option, values in repeated.items():
        for each in _list(values):
            words += [option, each]
    for option, is_set in {"--strict": strict, "--quick": quick, "--start": start}.items():
        words += [option] if is_set else []
    for name, text in (env or {}).items():
        words += ["--env", f"{name}={text}"]
    for name, text in (headers or {}).items():
        words += ["--header", f"{name}: {text}"]
    words += options
    target = [*_list(command), *_list(args)]
    return _Plan(words + (["--", *target] if target else []), cwd, program, on_event)


def _result(run: _Run, on_event: Optional[Callable[[Event], None]]) -> Result:
    result = None
    for event in run.events():
        if on_event is not None:
            on_event(event)
        if event["event"] == "finished":
            result = Result(
                event["conformant"], event["exit_status"], event["failures"], event["text"], event["report"]
            )
    assert result is not None
    return result


def _blocking(make_plan: "Callable[_P, _Plan]") -> "Callable[_P, Result]":
    @functools.wraps(make_plan)
    def certify(*args: "_P.args", **kwargs: "_P.kwargs") -> Result:
        made = make_plan(*args, **kwargs)
        return _result(made.start(), made.on_event)

    return certify


def _asynchronous(make_plan: "Callable[_P, _Plan]") -> "Callable[_P, Coroutine[Any, Any, Result]]":
    @functools.wraps(make_plan)
    async def certify_async(*args: "_P.args", **kwargs: "_P.kwargs") -> Result:
        made = make_plan(*args, **kwargs)
        loop = asyncio.get_running_loop()
        run = made.start()

        def tell(event: Event) -> None:
            if made.on_event is not None:
                loop.call_soon_threadsafe(made.on_event, event)

        work = loop.run_in_executor(None, _result, run, tell)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            threading.Thread(target=run.stop).start()
            await asyncio.wait([work])
            work.exception()
            raise

    return certify_async


#: certify(command, args=(), *, url=None, revisions=None, ...) -> Result
certify = _blocking(plan)
#: The same without blocking the event loop; cancelling it stops the run.
certify_async = _asynchronous(plan)
