"""`python -m mcp_assay`, and the command mcp-assay."""

import os
import subprocess
import sys

from ._program import AssayError, find_program


def main() -> None:
    try:
        found = find_program(is_terminal=sys.stdin.isatty() and sys.stdout.isatty())
    except AssayError as error:
        sys.exit(_complain(str(error)))
    words = found.words + sys.argv[1:]
    try:
        if os.name == "posix":
            os.execvp(words[0], words)
        sys.exit(subprocess.call(words))
    except OSError as error:
        sys.exit(_complain(f"{words[0]}: {error.strerror}"))


def _complain(text: str) -> int:
    print(f"mcp-assay: {text}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    main()
