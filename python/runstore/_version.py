"""The version of the package, which is also the version of the schema that it carries."""

__version__ = "0.1.0"
