"""Where the program is: in this package, or, where it does not run, in a container image."""

import os
import platform
import shutil
import sys
from typing import List, NamedTuple, Optional

ELSEWHERE = (
    "mcp-assay is for Linux (x86-64, arm64) and WSL; elsewhere, name its container image in MCP_ASSAY_IMAGE "
    "and install Docker or Podman"
)
_MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


class AssayError(Exception):
    """The server could not be certified at all: a wrong option, no program, no report."""

    def __init__(self, message: str, status: int = 2) -> None:
        super().__init__(message)
        #: The exit status of mcp-assay.
        self.status = status


class Program(NamedTuple):
    """How the program is started."""

    words: List[str]
    is_container: bool


def _in_container(image: str, folder: str, is_terminal: bool) -> Program:
    engine = next((name for name in ("docker", "podman") if shutil.which(name)), None)
    if engine is None:
        raise AssayError(f"MCP_ASSAY_IMAGE is set, but neither Docker nor Podman is there: {ELSEWHERE}")
    # The network is the host's, so that servers at 127.0.0.1 are reached; of the environment it has the variables that are
    # ours, such as secrets of clients.
    words = [engine, "run", "--rm", "--interactive", "--network", "host"]
    words += ["--volume", f"{os.path.abspath(folder)}:/work", "--workdir", "/work"]
    words += ["--tty"] if is_terminal else []
    for name in sorted(os.environ):
        words += ["--env", name] if name.startswith("MCP_ASSAY_") else []
    return Program(words + [image], True)


def find_program(
    program: Optional[str] = None, *, cwd: Optional[str] = None, is_terminal: bool = False
) -> Program:
    """Raises AssayError where the program cannot be started. A container sees the folder `cwd`, or this one."""
    if program is not None:
        return Program([program], False)
    packed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "mcp-assay")
    machine = _MACHINES.get(platform.machine().lower())
    if sys.platform == "linux" and machine is not None and os.access(packed, os.X_OK):
        return Program([packed], False)
    image = os.environ.get("MCP_ASSAY_IMAGE")
    if image:
        return _in_container(image, cwd or ".", is_terminal)
    raise AssayError(ELSEWHERE)
