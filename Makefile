# `make repro` runs the pipeline on the built-in sample; `make test` runs the tests.
# Both create the environment in .venv first. PYTHON=python3.12 picks another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(abspath $(VENV))/bin
WORKERS ?= 2
SOAK ?= full
TABLES ?= phrase_attentions key_value

# A user's git and DVC configuration is neither needed nor read.
export DVC_NO_ANALYTICS := 1
export PATH := $(BIN):$(PATH)
# Training frees and takes the same large blocks at every step: glibc is told to keep them.
export MALLOC_MMAP_THRESHOLD_ := 4294967296
export MALLOC_TRIM_THRESHOLD_ := 8589934592

.PHONY: repro experiments test test-fast test-slow lint types
repro: $(VENV)/installed
	@dvc repro
	@dvc metrics show data/reports/evaluate.json
	@echo "All of it on one page: data/report/index.html"

# Tables of systems, a DVC project of its own, on the dataset that `make repro` made.
experiments: $(VENV)/installed
	@python -m pipeline.experiment $(TABLES) $(if $(OVERRIDES),--overrides "$(OVERRIDES)")

# The tests share the cores: a second thread in each would only wait for the other's.
test test-fast test-slow: export OMP_NUM_THREADS := 1
test: $(VENV)/installed
	@pytest -n $(WORKERS) --dist worksteal

test-fast: $(VENV)/installed
	@pytest -n $(WORKERS) --dist worksteal -m "not slow"

# Crashes, clusters, remotes, hostile input, load: one after the other, as they take whole machines.
# SOAK=sample takes fewer rounds.
test-slow: $(VENV)/installed-for-soak
	@pytest -m soak --soak $(SOAK)

lint: $(VENV)/installed
	@ruff check . && ruff format --check .

types: $(VENV)/installed
	@mypy

$(VENV)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[pipeline,dev]'
	@touch $@

$(VENV)/installed-for-soak: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[pipeline,dev,ray,ssh,s3,soak]'
	@touch $@
