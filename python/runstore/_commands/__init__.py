"""The commands of the command line, a module for each topic; runstore.cli puts them together."""
