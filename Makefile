# make run: the main job. make test: everything there is. Each sets up what it needs, says so, and costs nothing the second time.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
# Scripts there name the folder they were installed into, which a copy of the checkout is not: modules are run instead.
PYTHON_BIN := .venv/bin
# Tests start the program hundreds of times: where an environment forbids compiled modules, each start compiles them all again.
export PYTHONDONTWRITEBYTECODE :=
MANIFEST := --manifest-path engine/Cargo.toml

.PHONY: help run test test-core test-engine test-kits test-tools test-cpp test-dotnet test-gateway test-go test-java test-jmeter test-languages test-node test-pascal test-python test-search test-windows lint format bench setup dev engine cpp java dotnet pascal node gateway go python-servers jmeter windows wheel docs lock clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

run: setup ## set up, run the quick RemObjects study over all native stacks, print the answer and where the page lies
	./callbench run remobjects --quick

setup: ## what running needs: .venv, the engine
	@setup/python
	@setup/engine

dev: ## what testing needs besides
	@setup/python dev
	@setup/engine
	@setup/cpp
	@setup/java
	@setup/dotnet
	@setup/pascal
	@setup/node
	@setup/gateway
	@setup/go
	@setup/python-servers
	@setup/windows build optional

engine: ## build the engine
	@setup/engine

cpp: ## build the C++ adapter
	@setup/cpp

java: ## build the Java adapter
	@setup/java

dotnet: ## build the .NET adapter
	@setup/dotnet

pascal: ## build the Pascal adapter
	@setup/pascal

node: ## make the Node.js adapter runnable
	@setup/node

gateway: ## make the gateway adapter runnable
	@setup/gateway

go: ## build the Go adapter
	@setup/go

python-servers: ## set up the Python adapter
	@setup/python-servers

jmeter: ## set up Apache JMeter, the independent load generator of `callbench peer`
	@setup/jmeter

windows: ## build the adapter for Windows, and set up Wine for it
	@setup/windows

wheel: setup ## build the wheel, in dist/: an installation without Rust and without a checkout
	rm -f dist/callbench-*.whl
	$(PYTHON_BIN)/uv build --quiet --wheel --python $(PYTHON_BIN)/python --build-constraints requirements-dev.lock --require-hashes
	@ls dist/callbench-*.whl

docs: ## build the documentation as a site, in site/; a broken link fails
	@setup/python dev
	$(PYTHON_BIN)/python -m mkdocs build --strict

# Tests are in lanes by what they need: a marker each, given by the folder (tests/conftest.py).
# They end with where their time went (CONTRIBUTING.md).
PYTEST := $(PYTHON_BIN)/python -m pytest --where-time-goes

test: test-engine test-kits test-tools ## test everything there is
	$(PYTEST)

test-core: test-engine ## test what needs Python and Rust alone, without the slow tests
	@setup/python dev
	@setup/engine
	$(PYTEST) -m 'core and not slow'

test-search: setup ## search for examples that break a property: other ones each time
	@setup/python dev
	$(PYTEST) -m 'core and hypothesis' --hypothesis-profile=search

test-engine: ## test the engine
	cargo test --locked $(MANIFEST) --workspace --all-targets

test-kits: dev ## test the kits of Java, .NET, Go and Node.js in their own languages
	setup/java test
	setup/dotnet test
	setup/go test
	setup/node test

# What Debian has of programs that tests compare with. Where one is missing, its tests are skipped.
test-tools:
	@setup/system tshark || echo "tshark is not there: the tests that compare captures with it are skipped" >&2
	@setup/system nghttp2-server nghttp2-proxy nginx-light || echo "nghttpd, nghttpx or nginx is not there: tests of HTTP/2 are skipped" >&2
	@setup/system chromium || echo "Chromium is not there: the tests of the page on a narrow screen are skipped" >&2
	@setup/system openssh-server || echo "sshd is not there: the tests of hosts over ssh are skipped" >&2
	@setup/jmeter || echo "JMeter is not there: its tests are skipped" >&2

test-cpp: setup cpp ## test the C++ stacks
	@setup/python dev
	$(PYTEST) -m cpp

test-dotnet: setup dotnet ## test the .NET kit and its stacks
	@setup/python dev
	setup/dotnet test
	$(PYTEST) -m dotnet

test-gateway: setup gateway ## test the gateway
	@setup/python dev
	$(PYTEST) -m gateway

test-go: setup go ## test the Go kit and its stacks
	@setup/python dev
	setup/go test
	$(PYTEST) -m go

test-java: setup java ## test the Java kit and its stacks
	@setup/python dev
	setup/java test
	$(PYTEST) -m java

test-jmeter: setup jmeter ## test what Apache JMeter takes part in
	@setup/python dev
	$(PYTEST) -m jmeter

test-languages: dev ## test what needs the adapters of several languages
	$(PYTEST) -m languages

test-node: setup node ## test the Node.js kit and its stacks
	@setup/python dev
	setup/node test
	$(PYTEST) -m node

test-pascal: setup pascal ## test the Pascal servers
	@setup/python dev
	$(PYTEST) -m pascal

test-python: setup python-servers ## test the Python adapter
	@setup/python dev
	$(PYTEST) -m python

# Windows' tests are among all tests where Rust has the target for it, which comes from rustup alone.
test-windows: dev windows ## test the stacks of Windows, in Wine
	setup/windows lint
	$(PYTEST) -m windows

lint: dev docs ## formatters, linters and type checkers, strict
	@setup/system shellcheck
	$(PYTHON_BIN)/ruff format --check .
	$(PYTHON_BIN)/ruff check .
	$(PYTHON_BIN)/python -m mypy
	$(PYTHON_BIN)/python -c 'from importlinter.cli import lint_imports_command as lint; lint()' --no-cache --no-logo
	cargo fmt $(MANIFEST) --all --check
	cargo clippy --locked $(MANIFEST) --workspace --all-targets -- -D warnings
	setup/cpp lint
	setup/java lint
	setup/dotnet lint
	setup/pascal lint
	setup/node lint
	setup/gateway lint
	setup/go lint
	setup/python-servers lint
	setup/windows lint optional
	shellcheck callbench setup/* .ci/run adapters/windows/launcher docs/guide/clusters/slurm.sh

format: dev ## format everything
	$(PYTHON_BIN)/ruff format .
	$(PYTHON_BIN)/ruff check --fix --quiet . || true
	cargo fmt $(MANIFEST) --all
	setup/cpp format
	setup/java format
	setup/dotnet format
	setup/node format
	setup/gateway format
	setup/go format

bench: dev ## measure callbench itself, both sides in one run
	bench/run

lock: ## resolve the Python packages anew
	$(PYTHON_BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade pyproject.toml -o requirements.lock
	$(PYTHON_BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade --extra hosts --constraint requirements.lock pyproject.toml -o requirements-hosts.lock
	$(PYTHON_BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade --group dev --extra hosts pyproject.toml -o requirements-dev.lock

clean: ## take away what was built and set up, not the runs
	rm -rf .venv engine/target adapters/cpp/build adapters/java/*/target adapters/gateway/node_modules adapters/node/node_modules \
		adapters/*/target peers/jmeter/target bench/build dist site .setup-lock
