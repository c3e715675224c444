# The front door: each target works from a fresh clone on a bare Debian 12. It installs what is missing, configures,
# builds and runs; the work itself is CMake's (CMakePresets.json) and that of the scripts named below.

JOBS    ?= $(shell nproc)
TESTS   ?= $(shell expr $(JOBS) + 1)  # at a time: some wait for timers, and for one another
PREFIX  ?= /usr/local
FUZZ_SECONDS ?= 60
SMOKE_RUNS ?= 500
COUNT   ?= 1000000

configure = cmake --preset $(1) --log-level=WARNING
compile   = cmake --build --preset $(1) --parallel $(JOBS)

.PHONY: help build demo playground test test-web test-sanitized test-threads sweep referee fuzz bench lint format install deb
.PHONY: test-deb wheel vscode clean

help:
	@echo 'make demo            draw a picture with a program that was assembled and emulated here'
	@echo 'make test            build and run the tests, with the other compiler too, and SMOKE_RUNS ($(SMOKE_RUNS)) inputs of each fuzzer'
	@echo 'make playground      make the page in which all of this runs: build-playground/playground.html'
	@echo 'make build           leave the command at build/isaforge'
	@echo 'make bench           measure on this machine, next to the peers that are installed'
	@echo 'make lint            formatting, static analysis, house rules'
	@echo 'make test-sanitized  all tests under the address and undefined-behaviour sanitizers'
	@echo 'make test-threads    the tests of devices and of the runtime library for GPUs, under the thread sanitizer'
	@echo 'make test-web        the playground, in a browser and beside the command'
	@echo 'make sweep           the exhaustive tests, which take long'
	@echo 'make referee         COUNT ($(COUNT)) lines of GCN for each generation, and as many codes, compared with llvm-mc'
	@echo 'make fuzz            random input of each kind for FUZZ_SECONDS ($(FUZZ_SECONDS)) each, JOBS at a time'
	@echo 'make format          format every source file in place'
	@echo 'make vscode          pack the extension for VS Code into out/, with what npm downloads'
	@echo 'make install         install under PREFIX ($(PREFIX))'
	@echo 'make deb             Debian packages of it, in out/'
	@echo 'make test-deb        the same, and whether they work'
	@echo 'make wheel           the Python module as a wheel, in out/, and whether it works'
	@echo 'make clean           remove everything that was built'

build:
	@scripts/install-packages.sh build
	@$(call configure,command)
	@$(call compile,command) --target isaforge

demo: build
	@scripts/install-packages.sh demo
	@scripts/demo.sh build/isaforge out

playground:
	@scripts/install-packages.sh playground
	@$(call configure,playground)
	@$(call compile,playground) --target playground

test-web: build playground
	@scripts/install-packages.sh web
	@tests/playground/same.py --isaforge build/isaforge --build build-playground
	@tests/playground/page.py --page build-playground/playground.html

# With the other compiler there are the fuzzers, and a look at the sources of the tests.
test:
	@scripts/install-packages.sh build test fuzz
	@$(call configure,fuzz)
	@$(call compile,fuzz)
	@RUNS=$(SMOKE_RUNS) JOBS=$(JOBS) scripts/fuzz.sh build-fuzz 20
	@$(call configure,release)
	@$(call compile,release)
	@scripts/run-tests.sh release $(TESTS)

test-sanitized:
	@scripts/install-packages.sh build test
	@$(call configure,sanitized)
	@$(call compile,sanitized)
	@scripts/run-tests.sh sanitized $(JOBS)

# What compiled code does, the sanitizer does not see; so the interpreter runs all.
test-threads:
	@scripts/install-packages.sh build test
	@$(call configure,threads)
	@$(call compile,threads) --target test_device test_hsa
	@ISAFORGE_ENGINE=interpreter scripts/run-tests.sh threads $(JOBS)

sweep:
	@scripts/install-packages.sh build test sweep
	@$(call configure,release)
	@$(call compile,release) --target all sweeps
	@scripts/run-tests.sh sweep $(JOBS)

referee:
	@scripts/install-packages.sh build test
	@$(call configure,release)
	@$(call compile,release) --target isaforge
	@tests/gcn/referee.py --isaforge build/isaforge --count $(COUNT)
	@tests/kernels/round_trip.py --isaforge build/isaforge --each

fuzz:
	@scripts/install-packages.sh build test fuzz
	@$(call configure,fuzz)
	@$(call compile,fuzz)
	@JOBS=$(JOBS) scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

bench:
	@scripts/install-packages.sh build test bench
	@$(call configure,release)
	@$(call compile,release)
	@bench/run.py build

lint:
	@scripts/install-packages.sh build test bench lint
	@$(call configure,release)
	@$(call compile,release) --target generated
	@scripts/lint.sh build $(JOBS)

format:
	@scripts/install-packages.sh lint
	@scripts/format.py

# The extension for VS Code, for which npm downloads what it is made with.
vscode: build
	@scripts/pack-vscode.sh build/isaforge out/isaforge.vsix

install: build
	@cmake --install build --prefix $(PREFIX)

deb:
	@scripts/install-packages.sh build jit python deb
	@$(call configure,package)
	@$(call compile,package)
	@mkdir -p out
	@rm -f out/*isaforge*.deb
	@cd build-package && cpack -B ../out >/dev/null
	@rm -rf out/_CPack_Packages
	@lintian --fail-on error out/*.deb

test-deb: deb
	@scripts/install-packages.sh test
	@scripts/test-deb.sh out

wheel:
	@scripts/install-packages.sh build jit python
	@mkdir -p out
	@rm -f out/*.whl
	@/usr/bin/python3 -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir out .
	@scripts/test-wheel.sh out/isaforge-*.whl

clean:
	rm -rf build build-package build-python build-debug build-sanitized build-threads build-fuzz build-playground out
