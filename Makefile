# What people type. `make test` needs Go only; the rest says what it needs.

GO ?= go
BENCHTIME ?= 1s

# The race detector needs cgo, and cgo a C compiler.
RACE := $(shell $(GO) env CGO_ENABLED | grep -q 1 && command -v $$($(GO) env CC) >/dev/null 2>&1 && echo -race)

.PHONY: test
test: ## the whole Go suite, under the race detector where there is a C compiler
	@test -n "$(RACE)" || echo "make test: no C compiler, so without the race detector"
	$(GO) test $(RACE) ./...

.PHONY: dev
dev: ## build the sample, serve it on http://localhost:8080, rebuild on change
	$(GO) run ./cmd/reviewcast dev

.PHONY: build
build: ## the binary, as ./reviewcast
	$(GO) build -trimpath -o reviewcast ./cmd/reviewcast

.PHONY: bench
bench: ## benchmarks at 1k, 10k and 100k reviews (BENCHTIME=5x for a quick look)
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout 30m ./generator/... ./edge/... ./bench/...

EVAL ?= $(sort $(wildcard generator/sentiment/testdata/gold/*.jsonl))

.PHONY: eval
eval: ## sentiment against labelled sentences: EVAL="FILE.xml ..." VOCABULARY=insights.yaml ERRORS=1
	@$(GO) run ./bench/eval $(if $(VOCABULARY),-vocabulary $(VOCABULARY)) $(if $(ERRORS),-errors) $(EVAL)

REVIEWS ?= lounge-reviews.csv

.PHONY: measure
measure: ## sentiment on real labelled reviews: REVIEWS=file.csv PART=steer|judge ERRORS=1 (steer only)
	@$(GO) run ./bench/eval -labels bench/eval/lounge/labels.jsonl -vocabulary bench/eval/lounge/insights.yaml -part $(or $(PART),judge) $(if $(ERRORS),-errors) $(REVIEWS)

.PHONY: golden
golden: ## write the golden files of the tests anew; look at the diff
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') -update

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (30s)
	.ci/fuzz $(or $(FUZZTIME),30s)

.PHONY: ci
ci: ## what CI runs; installs its tools itself
	.ci/run

.PHONY: help
help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12
