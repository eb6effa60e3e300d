# make demo   build everything in .venv, reproduce picker1994 with few seeds, say where the report is
# make test   build, then every test (Rust and Python)
# make build  the release engine and the Python package, in .venv
# make format  format Rust and Python
# make lint   format, lints, types, layers
# make docs   the documentation, warnings are errors: docs/_build/html/index.html
# make playground  a page that simulates in the browser, with the engine as WebAssembly in it: out/playground.html
# make c      the library for C and C++, in target/release; its header is crates/ringlet-c/include/ringlet.h
# make results  every paper reproduced, its rows, figures and tested sentences into docs/
# make wheel  a wheel and the sources in dist/, optimised by a profile where llvm-tools is installed, and tried in a fresh environment
# make bench  node-cycles per second on this machine
# make instructions  instructions of the engine's cases, against those kept: fails where one rises by more than 2 %; KEEP=1 keeps today's
# make campaign  random scenarios, damaged files and traces for a minute; KIND=name SEED=n makes one trial of it again
# make nightly   the same with new seeds for SECONDS, counts into docs/logs/campaign-log.csv (PROFILE=campaign: with overflow checks); before it what takes
#                too long for each change: many more random cases of the engine's tests, large explorations, how often intervals are right, mutants
# make mutants   are small mistakes in the engine caught by its tests? MUTANTS="--sample 30 --files protocols/dfc" draws others
# make fuzz     coverage-guided fuzzing of the engine for FUZZ_SECONDS; needs cargo-fuzz
# make validation  every case of tests/validation again, and what it gives into their table
# make clean  remove what the above made, .venv included

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= out/picker1994
RUST_FLOOR := 1.90
SECONDS ?= 28800
FUZZ_SECONDS ?= 600
WORKERS ?= 1

# Without this, maturin fetches a whole Rust toolchain from the network when cargo is missing.
export MATURIN_NO_INSTALL_RUST := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

BUILT := $(VENV)/.built
DEVELOPER := $(VENV)/.developer
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates \( -name '*.rs' -o -name Cargo.toml \) -not -path '*/target/*')

.PHONY: demo demo-begin test build format lint docs playground c results wheel bench instructions campaign nightly mutants fuzz validation clean tools
.DEFAULT_GOAL := build

demo: demo-begin $(BUILT)
	@echo "2 of 2: simulate the figures of Picker, Fellman and Chau (1994) again, each with few seeds (half a minute)"
	@$(BIN)/ringlet reproduce picker1994 --quick --brief --out $(OUT)

demo-begin:
	@echo "1 of 2: build the engine and the Python package in $(VENV) (some minutes, the first time)"

# Python's tests run also where a test of the engine fails, so that one run names all that fails.
test: $(DEVELOPER) $(BUILT)
	cargo test --locked --no-fail-fast; rust=$$?; \
	$(BIN)/python -m pytest -n auto --dist loadgroup && exit $$rust

build: $(BUILT)

# cargo fmt does not follow modules that a macro declares.
PROTOCOLS = $(wildcard crates/ringlet-engine/src/protocols/*.rs crates/ringlet-engine/tests/engine/reference/protocols/*.rs)

format:
	cargo fmt --all
	rustfmt --edition 2024 $(PROTOCOLS)
	$(BIN)/ruff format .

lint: $(DEVELOPER) $(BUILT)
	@cargo fmt --version >/dev/null 2>&1 || { echo "ringlet: cargo fmt is missing: install it with 'rustup component add rustfmt'" >&2; exit 1; }
	@cargo clippy --version >/dev/null 2>&1 || { echo "ringlet: cargo clippy is missing: install it with 'rustup component add clippy'" >&2; exit 1; }
	cargo fmt --all --check
	rustfmt --edition 2024 --check $(PROTOCOLS)
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@if command -v actionlint >/dev/null; then actionlint; else \
	  echo "ringlet: workflows are not checked without actionlint: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"; fi

docs: $(DEVELOPER) $(BUILT)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The documentation: $(abspath docs/_build/html)/index.html"

playground: $(BUILT)
	@$(WASM_STD) || { echo "ringlet: the playground needs Rust's target wasm32-unknown-unknown: install it with 'rustup target add wasm32-unknown-unknown'" >&2; exit 1; }
	cargo build --locked --quiet --profile web --target wasm32-unknown-unknown -p ringlet-web
	$(BIN)/python docs/playground/build.py target/wasm32-unknown-unknown/web/ringlet_web.wasm out/playground.html

# Whether there is a standard library for WebAssembly beside the compiler.
WASM_STD = test -n "$$(ls $$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib 2>/dev/null)"

c: tools
	cargo build --locked --quiet --release -p ringlet-c
	@echo "The library for C and C++: target/release/libringlet_c.a (or .so), crates/ringlet-c/include/ringlet.h"

results: $(BUILT)
	for paper in picker1994 todd2001 richter1997 richter1999; do \
	  $(BIN)/ringlet reproduce $$paper --out out/$$paper && \
	  cp out/$$paper/results.md docs/reproductions/$$paper-rows.md && cp out/$$paper/*.svg docs/images/ || exit 1; \
	done
	$(BIN)/ringlet reproduce --claims --brief --out out/claims && cp out/claims/claims.md docs/reproductions/claims.md

wheel: $(BUILT)
	rm -rf dist
	@$(PROFDATA) || echo "ringlet: the wheel is built without profile-guided optimisation, which needs 'rustup component add llvm-tools'"
	$(BIN)/maturin build --release --locked --quiet $$($(PROFDATA) && echo --pgo) --out dist
	$(BIN)/maturin sdist --out dist
	$(PYTHON) tests/install/check_wheel.py dist/*.whl dist/*.tar.gz

# Whether what merges profiles lies beside the compiler.
PROFDATA = test -n "$$(ls $$(rustc --print sysroot)/lib/rustlib/*/bin/llvm-profdata 2>/dev/null)"

bench: $(BUILT)
	$(BIN)/ringlet bench
	cargo bench --workspace --locked

# The first time there is nothing to compare with, and what is counted is kept.
instructions: tools
	@{ valgrind --version && gungraun-runner --version; } >/dev/null 2>&1 || { echo "ringlet: instructions are counted with Valgrind and 'cargo install gungraun-runner --version 0.20.0'" >&2; exit 1; }
	cargo bench --locked --quiet -p ringlet-bench --bench instructions -- $(if $(KEEP),--save-baseline=kept,--baseline=kept --callgrind-limits='ir=2%')

CAMPAIGN = PYTHONPATH=$(if $(PROFILE),out/$(PROFILE):)tests $(BIN)/python -m campaign $(if $(KIND),--kinds $(KIND))

campaign: $(DEVELOPER) $(BUILT) $(if $(PROFILE),out/$(PROFILE)/.built)
	$(CAMPAIGN) $(if $(SEED),--only $(SEED),--seed 0 --seconds 60) $(if $(KEEP),--keep)

nightly: $(DEVELOPER) $(BUILT) $(if $(PROFILE),out/$(PROFILE)/.built) mutants
	RINGLET_CASES=20 nice cargo test --locked -- --include-ignored
	RINGLET_CASES=20 nice $(BIN)/python -m pytest -m hypothesis
	RINGLET_CASES=20 nice $(BIN)/python -m pytest tests/claims
	RINGLET_PAIRS=whole nice $(BIN)/python -m pytest tests/pairs
	PYTHONPATH=tests nice $(BIN)/python -m guarantee --seconds $(SECONDS) --seed $$(date +%s)000 --workers $(WORKERS) --log docs/logs/guarantee-log.csv
	PYTHONPATH=tests nice $(BIN)/python -m guarantee --jittered --seconds $(SECONDS) --seed $$(date +%s)000 --workers $(WORKERS) --log docs/logs/guarantee-log.csv
	PYTHONPATH=tests nice $(BIN)/python -m guarantee --known --jittered --seconds $(SECONDS) --seed $$(date +%s)000 --workers $(WORKERS) --log docs/logs/guarantee-log.csv
	PYTHONPATH=tests nice $(BIN)/python -m guarantee --responses --small --seconds $(SECONDS) --seed $$(date +%s)000 --workers $(WORKERS) --log docs/logs/guarantee-log.csv
	PYTHONPATH=tests nice $(BIN)/python -m guarantee --loops --seconds $(SECONDS) --seed $$(date +%s)000 --workers $(WORKERS) --log docs/logs/guarantee-log.csv
	PYTHONPATH=tests nice $(BIN)/python -m guarantee --losses --seconds $(SECONDS) --seed $$(date +%s)000 --workers $(WORKERS) --log docs/logs/guarantee-log.csv
	PYTHONPATH=tests nice $(BIN)/python -m guarantee --networks --long --seconds $(SECONDS) --seed $$(date +%s)000 --workers $(WORKERS) --log docs/logs/guarantee-log.csv
	nice $(BIN)/python benches/coverage.py
	nice $(CAMPAIGN) --seconds $(SECONDS) --workers $(WORKERS) --keep --log docs/logs/campaign-log.csv

mutants: $(DEVELOPER)
	nice $(BIN)/python tests/mutation/mutants.py $(MUTANTS)

# Without a sanitizer, which needs a nightly compiler; the engine has no unsafe code. What is found lies in fuzz/artifacts.
fuzz: $(BUILT)
	@cargo fuzz --version >/dev/null 2>&1 || { echo "ringlet: cargo-fuzz is missing: install it with 'cargo install cargo-fuzz --locked'" >&2; exit 1; }
	$(BIN)/python fuzz/corpus.py fuzz/corpus/specs
	cargo fuzz run --sanitizer none --debug-assertions specs -- \
	  -max_total_time=$(FUZZ_SECONDS) -max_len=30000 -timeout=120 -rss_limit_mb=3000 -print_final_stats=1

validation: $(DEVELOPER) $(BUILT)
	PYTHONPATH=tests $(BIN)/python -m validation --write

# An engine of another Cargo profile, beside the one in the package.
out/%/.built: $(BUILT)
	$(BIN)/maturin build --profile $* --locked --quiet --out out/$*/wheel
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target out/$* out/$*/wheel/*.whl
	@touch $@

clean:
	rm -rf $(VENV) target docs/_build out dist

# The engine is always built with optimisation: a debug engine is some 30 times slower. The modules are compiled as pip does for a wheel, or
# the first start would, and every one where Python may not write beside them.
define INSTALL
@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
@test -x $(BIN)/maturin || $(BIN)/python -m pip install --quiet "maturin>=1.16,<2"
$(BIN)/maturin develop --release --locked --quiet $(EXTRAS)
@$(BIN)/python -m compileall -q python/ringlet
endef

# What developers need brings the package along, so that a fresh clone installs once. Never both at a time.
.NOTPARALLEL:

# What the first lines of the examples name, for editors: of the package as it was built.
define SCHEMAS
@for what in scenario study requirements schedulability; do $(BIN)/ringlet schema $$what > examples/$$what.schema.json || exit 1; done
endef

$(BUILT): $(SOURCES) | tools
	$(INSTALL)
	$(SCHEMAS)
	@touch $@

# Most modules of what developers need are never imported: those that are get compiled then.
$(DEVELOPER): EXTRAS := --extras dask,mpi,parquet,test,lint,docs
$(DEVELOPER): export PIP_NO_COMPILE := 1
$(DEVELOPER): pyproject.toml | tools
	$(INSTALL)
	$(SCHEMAS)
	@touch $@ $(BUILT)

tools:
	@command -v cargo >/dev/null 2>&1 || { echo "ringlet: cargo is missing: install Rust $(RUST_FLOOR) or newer (https://rustup.rs)" >&2; exit 1; }
	@rust=$$(cargo --version | cut -d' ' -f2); \
	  test "$$(printf '%s\n' $(RUST_FLOOR) "$$rust" | sort -V | head -n 1)" = $(RUST_FLOOR) \
	  || { echo "ringlet: cargo $$rust is too old: install Rust $(RUST_FLOOR) or newer (https://rustup.rs)" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "ringlet: $(PYTHON) is missing: install Python 3.11 or newer, or say where it is: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ringlet: $$($(PYTHON) --version) is too old: install Python 3.11 or newer, or say where it is: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "ringlet: $(PYTHON) has no venv module: install it (Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
