PYTHON ?= python3
# More arguments for `twofold verify`, e.g. make verify ARGS="bao2024.appA --effort quick".
ARGS ?=
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: verify test test-slow figures clean

verify: $(STAMP)
	@mkdir -p report
	@$(BIN)/twofold verify --json report/report.json $(ARGS)

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist loadfile

# What only repeats for more claims what the tests of make test look at.
test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

figures: $(STAMP)
	@mkdir -p report
	$(BIN)/python -m figures --out report/figures

clean:
	rm -rf .venv report .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The build backend is installed from the constraints too, so nothing in .venv is left to the day's newest version.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "PYTHON=$(PYTHON) is not Python 3.11 or later: try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt hatchling editables
	$(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@
