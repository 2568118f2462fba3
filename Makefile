# `make` lists what can be made. Everything runs from .venv, which is made on demand from pinned versions.

PYTHON ?= python3
PG_BIN ?=
PYTEST_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

ifneq ($(PG_BIN),)
export RUNSTORE_PG_BIN := $(PG_BIN)
endif

.DEFAULT_GOAL := help
.PHONY: help demo stop remove test test-snowflake-live lint reference snowflake-rules bench bench-projection bench-snowflake dist
.DELETE_ON_ERROR:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.demo ## start a private PostgreSQL, install runstore and push a run through it
	@$(BIN)/runstore demo

stop: $(VENV)/.demo ## stop the demo's server and keep its data
	@$(BIN)/runstore down

remove: $(VENV)/.demo ## stop the demo's server and delete its data
	@$(BIN)/runstore remove

test: lint ## lint and all tests [PG_BIN=directory of the PostgreSQL programs to test against]
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-snowflake-live: $(VENV)/.dev ## what only a Snowflake account can show; needs SNOWFLAKE_ACCOUNT and others, and says so
	@$(BIN)/python tests/snowflake/live/run.py $(PYTEST_ARGS)

lint: $(VENV)/.dev ## style, types, SQL layout, risky migrations, compose file
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@# sqlfluff passes over larger files without a word
	@large=$$(find sql migrations -name '*.sql' -size +20000c); \
		test -z "$$large" || { echo "over 20000 bytes, sqlfluff would not read them:" $$large >&2; exit 1; }
	$(BIN)/sqlfluff lint --disable-progress-bar sql/postgres migrations/postgres
	$(BIN)/sqlfluff lint --disable-progress-bar --config sql/snowflake/.sqlfluff sql/snowflake migrations/snowflake*
	$(BIN)/squawk 'migrations/postgres/*.sql'
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker-compose.yml

reference: $(VENV)/.demo ## write docs/reference.md from the catalog
	$(BIN)/python docs/generate_reference.py

snowflake-rules: $(VENV)/.demo ## write PostgreSQL's rules for events into the Snowflake functions
	$(BIN)/python sql/generate_snowflake_rules.py

bench: $(VENV)/.bench ## the append benchmark
	$(BIN)/python bench/append/run.py

bench-projection: $(VENV)/.bench ## the benchmark of snapshots and the projector
	$(BIN)/python bench/projection/run.py

bench-snowflake: $(VENV)/.bench ## what calls cost on Snowflake, and the reducer against PostgreSQL's fold
	$(BIN)/python bench/snowflake_costs/run.py

dist: $(VENV)/.demo ## wheel, sdist and the SQL file of this version, in dist/
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m runstore.script dist

$(VENV)/.demo: requirements/demo.txt pyproject.toml | $(BIN)/python
	$(PIP) install -r $<
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.demo
	$(PIP) install -r $<
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	$(PIP) install -r $<
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "$(PYTHON) is missing or older than Python 3.10: install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) cannot make virtual environments: install its venv package (Debian, Ubuntu: python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
