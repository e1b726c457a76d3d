# Coalloc Workbench: `make` lists the targets. The first one that needs Python makes .venv.
SHELL  := bash
# Without stored bytecode, every process compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
SCALE  ?= quick
OUT    ?= results
SEED   ?= $(shell date +%s)
MINUTES ?= 30
MUTANTS_PAGE := docs/mutants.md
BIN    := .venv/bin
STAMP  := .venv/.installed
# The versions that the numbers of the project were made with; LATEST=1 takes the newest ones.
VERSIONS := $(if $(LATEST),,--constraint constraints.txt)
TESTS := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
# The notebooks, and what stands beside them: `python -m studies` and `python -m own_system`.
BESIDE_TESTS := tests/studies tests/own_system tests/lessons tests/notebooks tests/browser
BESIDE := PYTHONPATH="$(CURDIR)/notebooks" $(BIN)/python -m
# Jupyter keeps its files in the home folder; if that cannot be written, in .venv.
JUPYTER_FILES := $(shell test -w "$$HOME" || echo "$(CURDIR)/.venv/jupyter")
JUPYTER_ENV := $(if $(JUPYTER_FILES),env $(foreach kind,CONFIG DATA RUNTIME,JUPYTER_$(kind)_DIR="$(JUPYTER_FILES)/$(kind)") IPYTHONDIR="$(JUPYTER_FILES)/ipython" MPLCONFIGDIR="$(JUPYTER_FILES)/matplotlib" )

.DEFAULT_GOAL := help
.PHONY: help install reproduce judge report test test-studies test-notebooks test-without-logs test-long mutants lab course dashboard docs lint bench peers conformance crosscheck faults archive front-door lock clean
.DELETE_ON_ERROR:

help: ## list these targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 20

install: $(STAMP) ## make .venv and do nothing else (LATEST=1: with the newest packages); every other target does that first

reproduce: $(STAMP) ## reproduce the papers into results/ (SCALE=quick or paper, CACHE=folder)
	$(BESIDE) studies reproduce --scale $(SCALE) --out "$(OUT)" $(if $(CACHE),--cache "$(CACHE)")

judge: $(STAMP) ## judge the stored runs and make ledger, figures and page in results/; nothing is simulated
	$(BESIDE) studies judge --out "$(OUT)"

report: $(STAMP) ## ask what several sites could do: make report LOGS="north=north.swf.gz:2048 south=south.swf.gz:1920"
	$(BESIDE) own_system report $(LOGS)

test: $(STAMP) ## run the tests of the library, its commands and its documents
	$(TESTS) $(BESIDE_TESTS:%=--ignore=%)

test-studies: $(STAMP) ## run the tests of the stored notebooks and of what stands beside them: studies, exercises, report
	$(TESTS) $(BESIDE_TESTS)

test-notebooks: $(STAMP) ## run every notebook from top to bottom, with its solutions, and use it in a browser
	$(TESTS) -m "notebook and not long"

test-without-logs: $(STAMP) ## run the tests that read logs as a machine without the real logs runs them
	env -u COALLOC_TRACES $(TESTS) \
	  tests/test_stored_runs.py tests/studies tests/workloads tests/cli

test-long: $(STAMP) ## run every test at full size, on new examples (SEED=number: on those); then mutants
	$(TESTS) -m "" --timeout 3600 \
	  --hypothesis-profile=long --hypothesis-seed=$(SEED)
	mkdir -p build
	cp docs/mutants.md build
	$(MAKE) mutants MUTANTS_PAGE=build/mutants.md

mutants: $(STAMP) ## make mistakes in a copy of the library, and write to docs/mutants.md which of them the tests notice (MINUTES=30)
	$(BIN)/python benchmarks/mutants.py $(MINUTES) $(SEED) $(MUTANTS_PAGE)

lab: $(STAMP) ## open the notebooks in JupyterLab
	$(JUPYTER_ENV)$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) --ServerApp.root_dir="$(CURDIR)" $(firstword $(wildcard notebooks/00*.ipynb) notebooks)

course: $(STAMP) ## make student and teacher versions of the notebooks, and the sheets of the tour, in build/course
	$(BESIDE) lessons.course make build/course

dashboard: $(STAMP) ## show the playground as a page without code, by Voila
	$(JUPYTER_ENV)$(BIN)/voila notebooks/06_playground.ipynb

docs: $(STAMP) ## make the site build/site: notebooks that play, guides, reference; it needs no network to be read
	$(BIN)/python docs/site/build.py build/site

lint: $(STAMP) ## check code and notebooks with ruff, and the types with mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP) ## run the benchmarks
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit; done

peers: $(STAMP) .peers/.installed ## compare with other simulators and plain C, and write docs/performance.md
	$(BIN)/python benchmarks/peers/compare.py .peers/bin/python docs/performance.md
	$(BIN)/python benchmarks/peers/limit_page.py docs/performance.md

conformance: $(STAMP) ## run the conformance kit on both engines and the installed simulators, and write docs/conformance.md
	$(BIN)/python benchmarks/conformance/table.py .peers/bin/python docs/conformance.md

crosscheck: $(STAMP) .peers/.installed ## schedule two real logs with independent programs, and write docs/crosscheck.md
	$(BIN)/python benchmarks/peers/crosscheck.py .peers/bin/python docs/crosscheck.md

faults: $(STAMP) ## kill processes, fill disks and use other places, users and Pythons, and write docs/faults.md
	$(BIN)/python benchmarks/faults.py docs/faults.md

archive: $(STAMP) ## run the studies at the papers' scale, store the runs, and make what rests on them again
	$(MAKE) reproduce SCALE=paper OUT=results/paper CACHE=.coalloc-cache
	$(BIN)/python docs/front_door.py results/paper

front-door: $(STAMP) ## judge the stored runs again, and make the README's table and picture again
	$(BIN)/python docs/front_door.py

lock: ## install the newest versions of all packages aside, and write them to constraints.txt
	$(PYTHON) -m venv --clear build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[test]'
	echo "# Made by \`make lock\`: the versions that \`make install\` takes." >constraints.txt
	build/lock/bin/python -m pip freeze --exclude coalloc-workbench >>constraints.txt
	rm -r build/lock

clean: ## remove results, caches and compiled kernels; .venv stays
	rm -rf .peers results notebooks/results build dist .coalloc-cache .pytest_cache .ruff_cache .mypy_cache .hypothesis .benchmarks
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python3"; exit 1; }
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	@echo "Installing the workbench and what it needs into .venv (a few minutes) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(VERSIONS) --editable '.[test]'
	@echo "Compiling the kernels, once (two minutes) ..."
	@$(BIN)/python -c 'from coalloc_lib.statistics.sweep import compile_kernels; compile_kernels()'
	@touch $@

# One by one: what cannot be installed leaves its log, from which the table takes the reason.
.peers/.installed: benchmarks/peers/requirements.txt | $(STAMP)
	@echo "Installing other simulators into .peers ..."
	@$(BIN)/python -m venv --clear .peers
	@for package in $$(grep -v '^#' $<); do \
	  .peers/bin/python -m pip install --disable-pip-version-check "$$package" >".peers/$${package%%=*}.log" 2>&1 \
	    || echo "$$package was not installed; the table tells why."; \
	done
	@touch $@
