"""runstore: the state store of a workflow engine, kept by stored procedures."""

__version__ = "0.1.0"
