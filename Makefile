PYTHON ?= python3
# More arguments for `twofold verify`, e.g. make verify ARGS="bao2024.appA --effort quick".
ARGS ?=
BIN := .venv/bin
STAMP := .venv/.installed
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
# uv, where it is installed, is several times as fast as pip, which takes over where uv finds no packages
UV := $(shell command -v uv 2>/dev/null)
UVPIP := $(if $(UV),$(UV) pip install --python $(BIN)/python)
# Compiled once here, as a shell may have told Python to keep nothing of what it compiles.
PACKAGES := theorems montecarlo proofs_check figures
# What is downloaded is held to its hashes; torch, which has none there, comes with the packages themselves.
PINNED := --require-hashes --no-deps -r constraints.txt
OWN := --no-build-isolation -e '.[dev]'
# Two workers, each handed file by file in the order of tests/conftest.py.
SHARED := -n 2 --dist loadfile --no-loadscope-reorder
# What is compiled is kept: the tests start many processes, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: verify test test-slow test-browser figures selftest lock clean

# Every claim is held to verdicts.toml, and so is the data of the figures; a part of the claims, or other options, to
# nothing. The pages are there as soon as the verdicts are, and again with the figures.
verify: $(STAMP)
	@mkdir -p report
ifeq ($(strip $(ARGS)),)
	@status=0; \
	$(BIN)/twofold verify --json report/report.json --html report/site --expect verdicts.toml || status=$$?; \
	if [ $$status -gt 1 ]; then exit $$status; fi; \
	echo "Drawing the figures." >&2; \
	$(BIN)/python -m figures --out report/figures --expect verdicts.toml > report/figures.txt || status=1; \
	$(BIN)/twofold report report/report.json --html report/site --figures report/figures \
		$$(test -f report/selftest.json && echo --selftest report/selftest.json) || status=1; \
	exit $$status
else
	@$(BIN)/twofold verify --json report/report.json --html report/site $(ARGS)
endif

# The type checker, which uses one core, runs beside the tests; what it says comes after what they say.
test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@said=$$(mktemp); $(BIN)/mypy > "$$said" 2>&1 & checker=$$!; \
	trap 'kill $$checker 2> /dev/null; rm -f "$$said"' EXIT; trap 'exit 130' INT TERM; \
	echo "$(BIN)/python -m pytest $(SHARED)"; \
	$(BIN)/python -m pytest $(SHARED); tested=$$?; \
	wait $$checker; checked=$$? checker=; \
	echo "$(BIN)/mypy"; cat "$$said"; \
	exit $$((tested ? tested : checked))

# What only repeats for more claims what the tests of make test look at.
test-slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

# The pages in a browser: Chromium from the system's packages, or the one that CHROMIUM names.
test-browser: $(STAMP)
	$(BIN)/python -m pytest -m browser tests/browser

figures: $(STAMP)
	@mkdir -p report
	$(BIN)/python -m figures --out report/figures

# How often the referee itself errs, and how much it catches; half an hour. The next report shows it.
selftest: $(STAMP)
	@mkdir -p report
	@$(BIN)/twofold selftest --independence --json report/selftest.json
	@$(BIN)/python -m tests.mutation report/selftest.json

# Hold later runs to what the last whole `make verify` found.
lock: $(STAMP)
	@$(BIN)/twofold lock

clean:
	rm -rf .venv report .mypy_cache .pytest_cache .ruff_cache .hypothesis

# The build backend is pinned too, so nothing in .venv is left to the day's newest version.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "PYTHON=$(PYTHON) is not Python 3.11 or later: try make PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up .venv with $(if $(UV),uv,pip): one to three minutes, once; torch is the largest download." >&2
	@$(PYTHON) -m venv .venv
	@$(if $(UV),$(UVPIP) $(PINNED) ||) $(PIP) $(PINNED)
	@$(if $(UV),$(UVPIP) $(OWN) ||) $(PIP) $(OWN)
	@echo "Compiling what was installed." >&2
# pip compiles on one core, the tests of the packages too
	@$(BIN)/python -m compileall -qq -j 0 -x '/tests?/' .venv/lib $(PACKAGES) || true
	@touch $@
	@echo "Set up. To use twofold by its name: . .venv/bin/activate" >&2
