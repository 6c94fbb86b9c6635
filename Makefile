# Every target does its own set-up; none asks a question. Prerequisites: make and Python 3.11 with venv (README.md).
SHELL := bash
PYTHON ?= python3
LAUNCH := $(PYTHON) -m portal.embedded.launch
VENV := .venv/bin
ENGINES := $(VENV)/python -m portal.embedded run --engines --
STACK := $(LAUNCH) run --stack --
TYPES := PORTAL_TESTING=1 DATABASE_URL=postgresql://nobody.asks/it # the type checker reads the settings and connects to nothing
PYTEST := $(VENV)/python -m pytest

.PHONY: demo serve assets test test-slow check-code lint fmt shots bench journey clean dev

demo: ## the portal with demo data, until Ctrl-C
	@$(LAUNCH) demo

serve: ## the portal as the environment says, without demo data, until Ctrl-C
	@$(LAUNCH) serve

assets: ## front-end packages into static/vendor
	@$(LAUNCH) prepare --assets

dev:
	@$(LAUNCH) prepare --dev --assets --browser

check-code: # what lint checks, once the environment stands
	@$(VENV)/ruff check .
	@$(VENV)/ruff format --check .
	@$(VENV)/lint-imports
	@$(VENV)/djlint --lint --quiet templates
	@$(TYPES) $(VENV)/mypy --no-error-summary

lint: dev ## ruff, import contracts, templates, types
	@$(MAKE) --no-print-directory check-code

fmt: dev ## let ruff format and mend what it can
	@$(VENV)/ruff check --fix-only .
	@$(VENV)/ruff format .

test: dev ## everything that CI runs
	@$(MAKE) --no-print-directory check-code
	@PORTAL_TESTING=1 $(ENGINES) $(PYTEST) -n 2 --dist loadfile --cov --ignore tests/browser $(ARGS)
	@PORTAL_TESTING=1 $(ENGINES) $(PYTEST) -n 2 --dist loadfile tests/browser # apart: Playwright keeps an event loop running in its process

test-slow: dev ## the long form of the property tests
	@PORTAL_TESTING=1 $(ENGINES) $(PYTEST) -n 2 -m slow $(ARGS)

bench: dev ## one line per benchmark; BENCH=name runs one
	@PORTAL_TESTING=1 $(ENGINES) $(VENV)/python -m tests.bench $(BENCH)

journey: ## the whole story over real HTTP, WebSocket and Celery, on throw-away state
	@PORTAL_ENGINE_SPEED=60 $(STACK) $(VENV)/python manage.py journey $(ARGS)

shots: dev ## every page in both languages, light and dark, wide and phone, into shots/
	@$(STACK) $(VENV)/python -m tests.browser.shots

clean: ## everything that was made here, and all state
	rm -rf .venv var static/vendor shots staticfiles .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +
