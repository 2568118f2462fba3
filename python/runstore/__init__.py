"""runstore: the state store of a workflow engine, kept by stored procedures."""

from runstore import errors
from runstore._version import __version__
from runstore.aio import AsyncRunStore, connect_async
from runstore.events import AppendResult, RunEventRecord, RunEventWrite, RunSummary
from runstore.snowflake import SnowflakeRunStore
from runstore.store import RunStore, connect

__all__ = [
    "AppendResult",
    "AsyncRunStore",
    "RunEventRecord",
    "RunEventWrite",
    "RunStore",
    "RunSummary",
    "SnowflakeRunStore",
    "__version__",
    "connect",
    "connect_async",
    "errors",
]
