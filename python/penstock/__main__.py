"""The command `penstock`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it quietly at any moment."""
    try:
        from penstock.cli.app import app

        app(prog_name="penstock")
    except KeyboardInterrupt:
        _leave()
    except SystemExit as left:
        if left.code == 130:
            _leave()
        raise


def _leave() -> None:
    """End at once: threads with runs that nobody wants any more are not waited for."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(130)


if __name__ == "__main__":
    main()
