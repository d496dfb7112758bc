# Two commands set everything up: `make demo` and `make test`. Another Python: `make test PYTHON=python3.12`.
PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?=
SHARE ?= 1/1
BIN = $(VENV)/bin
# A file is run by one process, which makes its fixtures once.
TESTS = $(BIN)/python -m pytest -q -n 2 --dist loadfile

.PHONY: demo test test-fast test-slow check examples clean

# Convert the examples, run both versions of some, and show what came of it, in a minute.
demo: $(VENV)/.ready
	@$(BIN)/python .ci/demo.py

test: check
	$(BIN)/np2jax convert examples -o build/examples
	$(TESTS) -m "not slow"

# The long sweeps, with the examples verified. SHARE=k/n, here and below: of the tests with parameters, part k of n.
test-slow: examples
	$(TESTS) -m slow --share $(SHARE)

# The tests of `make test` without its checks.
test-fast: $(VENV)/.ready
	$(TESTS) -m "not slow" --share $(SHARE)

# The checker sees the root as the package np2jax, whatever the folder of the clone is called.
check: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@mkdir -p build/types && ln -sfn ../.. build/types/np2jax
	MYPYPATH=build/types $(BIN)/mypy -p np2jax.migrate -p np2jax.rules -p np2jax.runtime_shim -m np2jax -m np2jax.testing -m np2jax.__main__
	$(BIN)/np2jax lint migrate rules
	$(BIN)/python docs/generate.py --check

# Convert the examples, and verify all of them: it takes minutes.
examples: $(VENV)/.ready
	@rm -rf build/examples
	$(BIN)/np2jax convert examples -o build/examples
	$(BIN)/np2jax verify examples build/examples -j 2 --report build/examples.md

$(VENV)/.ready: pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c "import sys; (3, 11) <= sys.version_info[:2] <= (3, 13) or sys.exit('np2jax needs Python 3.11, 3.12 or 3.13, and $(PYTHON) is ' + sys.version.split()[0] + '; try: make PYTHON=python3.12')"
	@echo "making $(VENV) with NumPy, JAX and the tools: a minute or two, the first time only"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(addprefix -c ,$(CONSTRAINTS)) -e '.[dev]'
	@touch $@

clean:
	rm -rf build dist .venv* *.egg-info
