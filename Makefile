# make demo   installs into .venv and shows what NeSS does
# make test   installs and runs linters, types and all tests
# make check  the same without the slow tests
# make coverage  all tests, and which lines they run; takes longer
# make reproduce        measures all tables of the paper again, 5 seeds, our LSTM and Transformer beside NeSS: 5 hours
#                       on 2 cores; SYSTEMS=all DEVICE=cuda JOBS=12 adds the other systems: 1.5 hours of one H200
# make reproduce-quick  1 seed, no Std-50, translation by rules, smaller tests, every system at a reduced size: 9 minutes
# make install alone makes .venv with the `ness` command in it

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
STAMP := $(VENV)/.installed

PYTEST := $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: install demo test check coverage lint format reproduce reproduce-quick clean

install: $(STAMP)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'Python 3.11 or newer is needed; name one with: make install PYTHON=python3.11'; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# The build backend comes first, so that it is pinned like everything else.
$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet -c constraints.txt hatchling editables
	$(PIP) install --quiet -c constraints.txt --no-build-isolation -e '.[dev,network]'
	@touch $@

RUN := runs/demo
COMMAND := jump around right after walk twice

demo: install
	@echo '── SCAN, split by length: train on short commands, traces found by search, then a network that imitates them'
	$(BIN)/ness train scan/length --out $(RUN) --force
	@echo '── The test set: longer commands than any in training, by the network alone'
	$(BIN)/ness eval $(RUN)
	@echo '── How one command is translated'
	$(BIN)/ness trace $(RUN) '$(COMMAND)'
	@echo '── What was learned: categories of words, and what words mean'
	@$(BIN)/ness rules $(RUN) --engine rules | awk '/^categories/,/^$$/; /^reduce/,/^$$/'

test: lint
	@sh scripts/ensure-chromium.sh
	$(PYTEST)

check: lint
	@sh scripts/ensure-chromium.sh
	$(PYTEST) -m "not slow"

coverage: install
	@sh scripts/ensure-chromium.sh
	$(PYTEST) --cov --cov-report=term

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

REPORT ?= reports/reproduce
JOBS ?= 2
SYSTEMS ?= ness,lstm,transformer
DEVICE ?= auto

reproduce: install
	$(BIN)/ness reproduce all --seeds 5 --jobs $(JOBS) --systems $(SYSTEMS) --device $(DEVICE) \
		--out $(REPORT) --markdown docs/results.md

reproduce-quick: install
	$(BIN)/ness reproduce all --quick --systems all --jobs $(JOBS) --out $(REPORT)-quick

# Leaves .venv, which takes long to make; remove it by hand to start afresh.
clean:
	rm -rf dist build htmlcov .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis
