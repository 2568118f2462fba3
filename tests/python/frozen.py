"""A landed migration is never edited: the checksums of all of them, and the command that adds a new one's.

python tests/python/frozen.py
"""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MIGRATIONS = ROOT / "migrations" / "postgres"
SUMS = Path(__file__).resolve().with_name("migrations.sha256")
LANDED = {
    MIGRATIONS: SUMS,
    ROOT / "migrations" / "snowflake": SUMS.with_name("migrations_snowflake.sha256"),
    ROOT / "migrations" / "snowflake_hybrid": SUMS.with_name("migrations_snowflake_hybrid.sha256"),
}
HOW_TO_ADD = "a new migration is listed by: python tests/python/frozen.py"


def checksums(directory: Path) -> dict[str, str]:
    """Return the checksum of every file in the directory."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(directory.iterdir())}


def listed(sums: Path) -> dict[str, str]:
    """Read a list as sha256sum writes it."""
    lines = sums.read_text().splitlines() if sums.exists() else []
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def problems(directory: Path, sums: Path) -> list[str]:
    """Return what is wrong with the migrations; nothing when all are as they landed."""
    now, landed = checksums(directory), listed(sums)
    return [
        *(
            f"{name} has changed: put it back, and write a new migration"
            for name in landed
            if landed[name] != now.get(name, landed[name])
        ),
        *(f"{name} is missing: put it back" for name in landed if name not in now),
        *(f"{name} is not listed: {HOW_TO_ADD}" for name in now if name not in landed),
    ]


def add(directory: Path, sums: Path) -> None:
    """List what is not listed; what is listed stays as it is."""
    entries = {**checksums(directory), **listed(sums)}
    sums.write_text("".join(f"{entries[name]}  {name}\n" for name in sorted(entries)))


if __name__ == "__main__":
    for migrations, checksums_of_all in LANDED.items():
        add(migrations, checksums_of_all)
