"""The command `penstock`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly at any moment."""
    try:
        from penstock.cli import app

        app(prog_name="penstock")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
