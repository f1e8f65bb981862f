# make run: the main job. make test: everything there is. Each sets up what it needs, says so, and costs nothing the second time.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
# Scripts there name the folder they were installed into, which a copy of the checkout is not: modules are run instead.
PYTHON_BIN := .venv/bin
# Tests start the program hundreds of times: where an environment forbids compiled modules, each start compiles them all again.
export PYTHONDONTWRITEBYTECODE :=
MANIFEST := --manifest-path engine/Cargo.toml

.PHONY: help run test test-core test-engine test-java test-dotnet test-go test-node test-windows test-python lint format bench setup dev engine cpp java dotnet pascal node gateway go python-servers jmeter windows lock clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

run: setup ## set up, run the quick RemObjects study over all native stacks, print tables, claims and where the page lies
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

# Windows is among it where it can be had: Rust's target for it comes from rustup alone. Where not, its tests skip with the remedy.
test: test-core test-java test-dotnet test-go test-node ## test everything there is

test-core: test-engine test-python ## test what needs Python and Rust alone

test-engine: ## test the engine
	cargo test --locked $(MANIFEST) --workspace --all-targets

test-java: dev ## test the Java kit; tests/java has its stacks
	setup/java test

test-dotnet: dev ## test the .NET kit; tests/dotnet has its stacks
	setup/dotnet test

test-go: dev ## test the Go kit; tests/go has its stacks
	setup/go test

test-node: ## test the Node.js kit; tests/node has its stacks
	setup/node test

test-python: dev ## test the core, the contract, the stacks
	@setup/system tshark || echo "tshark is not there: the tests that hold captures against it skip" >&2
	@setup/system nghttp2-server nghttp2-proxy nginx-light || echo "nghttpd, nghttpx or nginx is not there: tests of HTTP/2 skip" >&2
	@setup/system chromium || echo "Chromium is not there: the tests that look at the page on a narrow screen skip" >&2
	@setup/jmeter || echo "JMeter is not there: the tests that it takes part in skip" >&2
	$(PYTHON_BIN)/python -m pytest

test-windows: dev windows ## test the stacks of Windows, in Wine
	setup/windows lint
	$(PYTHON_BIN)/python -m pytest tests/windows

lint: dev ## formatters, linters and type checkers, strict
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
	shellcheck callbench setup/* .ci/run adapters/windows/launcher

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
	$(PYTHON_BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade --group dev pyproject.toml -o requirements-dev.lock

clean: ## take away what was built and set up, not the runs
	rm -rf .venv engine/target adapters/cpp/build adapters/java/*/target adapters/gateway/node_modules adapters/node/node_modules \
		adapters/*/target peers/jmeter/target bench/build .setup-lock
