# Two commands do everything on a machine with Python 3.11 and make: `make run` and `make test`.
PYTHON ?= python3.11
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test test-day test-usb law table-day check bench fuzz docs requirements clean
.DELETE_ON_ERROR:

$(STAMP): pyproject.toml requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

run: $(STAMP)
	$(BIN)/python -m demo.run

test: $(STAMP)
	$(BIN)/python -m pytest

# The whole first day with shufflers on USB, display on MQTT, badges on serial: six minutes in real time. CI plays a short one.
test-day: $(STAMP)
	$(BIN)/python -m tests.system.mixed_day

# USB on a real kernel, in an emulated machine: says so and passes where that cannot be had. Not part of CI.
test-usb: $(STAMP)
	$(BIN)/python -m tests.guest

# A million rounds of blackjack by chance (`make test`: forty thousand), and 180,000 faulty rounds found by sensors alone.
law: $(STAMP)
	$(BIN)/python -m tests.law

# A table-day of 600 rounds in virtual time with the field's faults, three seeds; CI plays shorter ones.
table-day: $(STAMP)
	$(BIN)/python -m tests.scenarios --seeds 3

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m benchmarks

# Any bytes against every codec, a quarter of an hour each; CI gives each a minute: FUZZ="--must --seconds 60 --jobs 2".
fuzz: $(STAMP)
	$(BIN)/python -m fuzz $(FUZZ)

# README's table, the procedures, the acts of the control socket: what follows from the code (a test compares).
docs: $(STAMP)
	$(BIN)/python -m docs.generate

# uv writes no registry into the list: pip asks the one it is set up for.
requirements:
	uv pip compile pyproject.toml --extra dev --generate-hashes --universal --python-version 3.11 \
	  --no-header -o requirements-dev.txt

# Everything that .gitignore lists: what `make` and the tests build.
clean:
	rm -rf $(VENV) .venv-peers run build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	rm -rf *.egg-info *.log
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
