# `make repro` runs the pipeline on the built-in sample; `make test` runs the tests.
# Both create the environment in .venv first. PYTHON=python3.12 picks another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
WORKERS ?= 2
TABLES ?= phrase_attentions key_value

# A user's git and DVC configuration is neither needed nor read.
export DVC_NO_ANALYTICS := 1
export PATH := $(BIN):$(PATH)

.PHONY: repro experiments test test-slow gpu speed lint types docs
repro: $(VENV)/installed
	@dvc repro
	@dvc metrics show data/reports/evaluate.json
	@echo "All of it on one page: data/report/index.html"

# Tables of systems, a DVC project of its own, on the dataset that `make repro` made.
experiments: $(VENV)/installed
	@python -m pipeline.experiment $(TABLES) $(if $(OVERRIDES),--overrides "$(OVERRIDES)")

# The tests share the cores: a second thread in each would only wait for the other's.
test test-slow: export OMP_NUM_THREADS := 1
test: $(VENV)/installed
	@pytest -n $(WORKERS) --dist worksteal

# Crashes, clusters, remotes, real corpora: what takes minutes, or servers, one after the other.
test-slow: $(VENV)/installed-for-slow-tests
	@pytest -m slow
	@pytest tests/mgsa/training/test_loggers.py

# What only a GPU can tell, in six minutes: docs/gpu.md. After `make repro`, whose dataset it trains on.
gpu: $(VENV)/installed
	@python -m benchmarks.gpu --out docs

# The speeds of docs/results.md on this machine, beside every peer that is installed; SHARED holds
# multi30k/ and stanza_resources/.
speed: export OMP_NUM_THREADS := 1
speed: $(VENV)/installed
	@python -m benchmarks.machine
	@python -m benchmarks.model_speed --size tiny --tokens 2048 --repeats 4 --clock processor --profile
	@python -m benchmarks.model_speed --size base --tokens 2048 --batches 1 --repeats 3 --clock processor --models ON-LSTM plus torch
	@python -m benchmarks.decoding_speed --size tiny --sentences 48 --engines --precisions int8 --models none
	@python -m benchmarks.decoding_speed --size tiny --sentences 160 --engines --precisions int8 --models none --workers 2
	@python -m benchmarks.decoding_speed --size base --sentences 48 --repeats 2 --engines --precisions int8 --models none
	@python -m benchmarks.text_stages --shared $(SHARED) --workers 2 --repeats 3
	@python -m benchmarks.parse --shared $(SHARED) --sentences 6000 --workers 2 --repeats 1

lint: $(VENV)/installed
	@ruff check . && ruff format --check .

types: $(VENV)/installed
	@mypy

docs: $(VENV)/installed-for-docs
	@sphinx-build -q -W --keep-going docs docs/_build/html
	@echo "docs/_build/html/index.html"

INSTALL := "$(BIN)/pip" install --quiet --disable-pip-version-check --constraint constraints.txt --editable

$(VENV)/installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) '.[pipeline,dev]'
	@touch $@

$(VENV)/installed-for-slow-tests: $(VENV)/installed
	$(INSTALL) '.[pipeline,dev,ray,wandb]'
	@touch $@

$(VENV)/installed-for-docs: $(VENV)/installed
	$(INSTALL) '.[pipeline,dev,docs]'
	@touch $@
