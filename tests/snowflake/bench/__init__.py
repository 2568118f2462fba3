"""A local bench on which the shipped Snowflake files run as they are. See database.Bench."""

from bench.connection import BenchConnection, BenchCursor
from bench.database import Adapted, Bench, Statement
from bench.faults import NotSupported

__all__ = ["Adapted", "Bench", "BenchConnection", "BenchCursor", "NotSupported", "Statement"]
