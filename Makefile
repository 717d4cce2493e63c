# Commands for contributors. `make help` lists them. `make test` needs nothing but Go.

GO ?= go
BENCHTIME ?= 1s

# The race detector needs cgo, and cgo a C compiler. SQLite, which is C translated to Go, and
# libraries that draw, compress, encrypt, match, parse and fill templates run without it: they
# would take most of the time. Not so those that instantiate generic types of package sync which
# others have too, or use sync.Map: the linker may keep their instances for all, and the detector
# then reports races that aren't there. To see which, compare `go tool nm -size` of two tests.
UNRACED := modernc.org/... golang.org/x/image/... image/... compress/... github.com/andybalholm/brotli/... github.com/klauspost/compress/... \
  regexp/... unicode/... strings text/template/... internal/fmtsort hash/... golang.org/x/text/... golang.org/x/net/html/... go.yaml.in/... github.com/yuin/goldmark/... github.com/alecthomas/kong/... github.com/clipperhouse/... \
  strconv/... encoding/csv/... html $(foreach name,bigmod edwards25519 mlkem nistec sha3,crypto/internal/fips140/$(name)/...) \
  github.com/go-json-experiment/json/jsontext/... $(foreach name,jsonopts jsonwire,github.com/go-json-experiment/json/internal/$(name)/...) github.com/santhosh-tekuri/... github.com/mmcdole/...
RACE := $(shell $(GO) env CGO_ENABLED | grep -q 1 && command -v $$($(GO) env CC) >/dev/null 2>&1 && echo -race $(UNRACED:%=-gcflags=%=-race=false))

# A program with the race detector sleeps for a second when it ends, in case goroutines that it
# left race. Tests wait for theirs, and start some fifty such programs.
export GORACE := atexit_sleep_ms=0 $(GORACE)

.PHONY: help
help: ## list these commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# Heaps of tests are small: the default would collect them again and again, which costs a tenth.
.PHONY: test
test: ## run all Go tests, with the race detector where there is a C compiler
	@test -n "$(RACE)" || echo "make test: no C compiler, so without the race detector"
	GOGC=$${GOGC:-400} $(GO) test $(RACE) -ldflags=-s -timeout 30m ./...

.PHONY: check
check: ## run the linters and the short tests; under a minute once the caches are warm
	@.ci/tools
	.ci/out/bin/golangci-lint run ./...
	$(GO) test -short ./...

# What compiles fastest: without debug information, without inlining, one thread for each
# package (go builds several packages at once), and other people's packages unoptimised. It
# takes a quarter less, and the preview a tenth of a second more.
QUICK := -dwarf=false -c=1 -l
QUICK := '-gcflags=all=$(QUICK)' $(foreach host,modernc.org github.com google.golang.org,'-gcflags=$(host)/...=-N $(QUICK)')

.PHONY: dev
dev: ## build the sample, serve it on http://localhost:8080 and rebuild on change
	@echo "compiling; the first time it takes a minute or two and prints each package (about 350)"
	@CGO_ENABLED=0 $(GO) run -v $(QUICK) ./cmd/reviewcast dev

.PHONY: build
build: ## build the program as ./reviewcast
	$(GO) build -trimpath -o reviewcast ./cmd/reviewcast

.PHONY: bench
bench: ## run the benchmarks at 1,000, 10,000 and 100,000 reviews; BENCHTIME=5x is quicker
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -timeout 30m ./generator/... ./edge/... ./bench/...

EVAL ?= $(sort $(wildcard generator/sentiment/testdata/gold/*.jsonl))

.PHONY: eval
eval: ## measure sentiment on labelled sentences: EVAL="FILE.xml ..." VOCABULARY=insights.yaml ERRORS=1
	@$(GO) run ./bench/eval $(if $(VOCABULARY),-vocabulary $(VOCABULARY)) $(if $(ERRORS),-errors) $(EVAL)

REVIEWS ?= lounge-reviews.csv

.PHONY: measure
measure: ## sentiment on real labelled reviews: REVIEWS=file.csv PART=steer|judge ERRORS=1 (steer only)
	@$(GO) run ./bench/eval -labels bench/eval/lounge/labels.jsonl -vocabulary bench/eval/lounge/insights.yaml -part $(or $(PART),judge) $(if $(ERRORS),-errors) $(REVIEWS)

.PHONY: golden
golden: ## update the golden files of the tests; review the diff
	$(GO) test $$(git grep -l 'flag.Bool("update"' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|') -update

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (default 30s)
	.ci/fuzz $(or $(FUZZTIME),30s)

.PHONY: release
release: ## build archives, Debian packages and checksums for all systems into dist
	.ci/package dist

.PHONY: ci
ci: ## run everything that CI runs; it installs its own tools (Debian, as root)
	.ci/run
