"""Start of the command: answers --version before anything else is imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from inspector import __version__

        print(f"inspector {__version__}")
        return
    from inspector.cli import run

    run()


if __name__ == "__main__":
    main()
