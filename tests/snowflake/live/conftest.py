"""The account that is named in the environment, with the store in a schema of its own."""

from collections.abc import Iterator

import pytest

from live.account import Account, installed, parameters, variant


@pytest.fixture(scope="session")
def account() -> Iterator[Account]:
    """An account of this session of tests."""
    with installed(parameters(), variant()) as made:
        yield made
