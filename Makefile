# make demo   installs into .venv and shows what NeSS does
# make test   installs and runs linters, types and all tests
# make reproduce        measures all tables of the paper again, 5 seeds: 3 hours on 2 cores
# make reproduce-quick  the same with 1 seed, smaller tests and shorter baselines: 15 minutes
# make install alone makes .venv with the `ness` command in it

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMP := $(VENV)/.installed

.PHONY: install demo test lint format reproduce reproduce-quick clean

install: $(STAMP)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Python 3.11 or newer is needed; name one with: make install PYTHON=python3.11'; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# The build backend comes first, so that it is pinned like everything else.
$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet -c constraints.txt hatchling editables
	$(PIP) install --quiet -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@

demo: install
	@echo '── The machine: a hand-written program, step by step'
	$(BIN)/ness run \
		'SHIFT; REDUCE JUMP; SHIFT; PUSH; SHIFT; REDUCE RTURN; POP; CONCAT_M 2,0; CONCAT_S 1,1,1,1; FINAL' \
		'jump around right'
	@echo '── The built-in tasks'
	$(BIN)/ness tasks
	@echo '── SCAN, split by length, as files'
	$(BIN)/ness data scan/length --out runs/demo-data

test: lint
	@sh scripts/ensure-chromium.sh
	$(BIN)/pytest --cov --cov-report=term

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

REPORT ?= reports/reproduce
JOBS ?= 2

reproduce: install
	$(BIN)/ness reproduce all --seeds 5 --jobs $(JOBS) --out $(REPORT) --markdown docs/results.md

reproduce-quick: install
	$(BIN)/ness reproduce all --quick --jobs $(JOBS) --out $(REPORT)-quick

# Leaves .venv, which takes long to make; remove it by hand to start afresh.
clean:
	rm -rf dist build htmlcov .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
