"""Runs the live suite if an account is named, or says in one line that it did not run."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def main(arguments: list[str]) -> int:
    """Run it; the arguments are pytest's."""
    sys.path.insert(0, str(FOLDER.parent))
    from live.account import missing

    if absent := missing():
        print(f"The live suite for Snowflake did not run: not set are {', '.join(absent)}.")
        return 0
    return pytest.main([str(FOLDER), "-o", "python_files=cases_*.py", "-W", "default", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
