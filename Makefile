# SPDX-License-Identifier: BSD-3-Clause
# The front door: `make demo` and `make test` do everything, from a bare machine to the result.
.DEFAULT_GOAL := help
.PHONY: help demo demo-heat demo-seismic demo-turbulence demo-python python verify-seismic verify-turbulence forecast \
  experiment experiment-seismic papers test build bench sanitize check check-compilers docs install clean

JOBS ?= $(shell nproc 2>/dev/null || echo 2)
OUT ?= out
PREFIX ?= /usr/local
PRESET ?= library
# One tree per MPI; CI=1 makes warnings errors in the same trees.
PRESETS_TEST := $(if $(CI),ci ci-mpich,test test-mpich)
export PATH := $(CURDIR)/tools:$(PATH)

help: ## this text
	@echo "Nearfar: node-aware communication for MPI programs"
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## a weather forecast from real data on two emulated nodes; maps and a table in out/
	@tools/bootstrap build demo
	@tools/build release-openmpi $(JOBS) nearfar-weather
	@apps/weather/demo/demo.sh build/release-openmpi $(OUT)

demo-heat: ## a ball of heat on a mesh that follows it, on two emulated nodes; pictures in out/heat
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS) nearfar-adaptive-heat
	@apps/adaptive-heat/demo/demo.sh build/release-openmpi $(OUT)/heat

demo-seismic: ## a seismic shot over salt in tilted layers: pictures, a film, methods of writing snapshots, in out/seismic
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS) nearfar-seismic
	@apps/seismic/demo/demo.sh build/release-openmpi $(OUT)/seismic

demo-turbulence: ## the Taylor-Green vortex at Re = 1600: comparison with the reference, pictures, in out/turbulence
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS) nearfar-turbulence
	@apps/turbulence/demo/demo.sh build/release-openmpi $(OUT)/turbulence

python: ## an environment of Python in build/python-env with what the package nearfar is built and tested with
	@test -d build/python-env || python3 -m venv build/python-env
	@build/python-env/bin/pip install -q nanobind mpi4py numpy networkx xarray zarr h5netcdf h5py

demo-python: ## the Python package in a fresh environment: installed, heat on two emulated nodes, Poisson, PageRank
	@tools/bootstrap library
	@bindings/python/examples/demo.sh $(OUT)/python

verify-seismic: ## the longer proofs of the seismic program, a few minutes: a table, and points per wave at equal error
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS) seismic-verify
	@apps/seismic/verify/verify.sh build/release-openmpi

verify-turbulence: ## the longer proofs of the turbulence program, some minutes: orders, resolution, isotropic turbulence
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS) turbulence-verify
	@apps/turbulence/verify/verify.sh build/release-openmpi

forecast: ## the full forecast: 24 hours, with rain, maps and a meteogram, in out/forecast
	@tools/bootstrap build demo
	@tools/build release-openmpi $(JOBS) nearfar-weather
	@apps/weather/demo/forecast.sh build/release-openmpi $(OUT)/forecast

experiment: ## the experiment of Souza, Panetta and Stephany: 1440 steps, three methods of exchange (ARGS=--help)
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS)
	@apps/weather/experiment/experiment.py --output $(OUT)/experiment $(ARGS)

experiment-seismic: ## the experiment of Machado, Lorenzon and Navaux: snapshots by several methods (ARGS=--help)
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS) nearfar-seismic seismic-plain-output
	@apps/seismic/experiment/experiment.py --output $(OUT)/seismic-experiment $(ARGS)

papers: ## the experiments of all five papers in short form: tables and plots in out/papers (ARGS='', whole)
	@tools/bootstrap build demo
	@tools/build release-openmpi $(JOBS) bench_transpose bench_fft bench_threads nearfar-weather nearfar-seismic \
	  seismic-plain-output nearfar-adaptive-heat
	@bench/papers/all --output $(OUT)/papers $(if $(filter undefined,$(origin ARGS)),--short,$(ARGS))

build: ## the library alone, in build/library (PRESET=release-openmpi: everything)
	@tools/bootstrap $(if $(filter library,$(PRESET)),library,build)
	@tools/build $(PRESET) $(JOBS)

test: ## build and test with Open MPI and with MPICH
	@tools/bootstrap build
	@$(MAKE) --no-print-directory python || { test -z "$(CI)" && echo "test: without the Python package: no build/python-env"; }
	@tools/test-all $(JOBS) $(PRESETS_TEST)

bench: ## the halo benchmark against plain MPI, both MPIs
	@tools/bootstrap build
	@tools/build release-openmpi $(JOBS)
	@tools/build release-mpich $(JOBS)
	@bench/run halo near

sanitize: ## unit and 2-rank tests, and adaptive heat's files, under the address and undefined behaviour sanitizers
	@tools/bootstrap build
	@tools/test-all $(JOBS) sanitize

check: ## formatting, layering, comments of public names
	@tools/check

check-compilers: ## by clang the library, and for 64-bit ARM what needs no MPI (tests under qemu): warnings are errors
	@tools/check-compilers

docs: ## the site: pages of docs/ and the reference of C++, C and Fortran, in build/site/html
	@tools/bootstrap site
	@tools/site.py

install: build ## install what make build builds to PREFIX (default /usr/local)
	@cmake --install build/$(PRESET) --prefix $(PREFIX)

clean: ## remove what was built (build/ and out/)
	@rm -rf build $(OUT)
