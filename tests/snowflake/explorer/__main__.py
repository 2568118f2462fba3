"""Print what the explorer finds, as tables: python tests/snowflake/explorer."""

import sys
from pathlib import Path


def main() -> None:
    """Print the table of the shipped sequences, and that of sequences that lack a guard."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from explorer.report import shipped_table, weakened_table

    for table in (shipped_table(), weakened_table()):
        for line in table:
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
