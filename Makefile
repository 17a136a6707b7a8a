# The verbs of the project; .ci/run calls test, then ci. The linter and its like are pinned in tools/go.mod.
TOOL     := go tool -modfile=tools/go.mod
TIMEOUT  ?= 20m
FUZZTIME ?= 10s
BENCH    ?= .
COUNT    ?= 1
OUT      ?= bench.txt
TAGS     ?=
ARGS     ?=
MINUTES  ?= 30
SEED     ?=

# Property tests draw the same cases in every run, so that a run says what the change did. RAPID_SEED=0 draws new ones,
# and then no result comes from the cache.
export RAPID_SEED ?= 1

.PHONY: run highs python wheels site test deep tutorials ci ci-others race cross slurm slurm-forecast slurm-others bench compare-bench four baseline lint fuzz prove mutants release vuln

run:
	go run ./cmd/allot solve examples/multicluster.json

# The MILP solver for builds with -tags highs: the system's, or built once a machine (about 2 minutes). See tools/highs.
highs:
	@tools/highs

# The tests of the pure build: they need Go alone. At the end it says what was skipped, and why. -short draws fewer cases and leaves out tests that take long
# (see internal/race); make deep has all of them: run it before a larger change and before a release.
# Package solvers has the longest tests; named first it leaves no core waiting for it at the end. GOGC lets the collector of garbage run less
# often, as most tests hold little: that saves a fifth of their time.
test: SHORT = -short
test deep:
	@CGO_ENABLED=0 GOGC=400 $(GOTEST) $(SHORT) ./solvers ./...

# Whole pages of documentation, with the blocks that make test leaves out as they take long.
tutorials:
	CGO_ENABLED=0 $(GOTEST) -run 'Tutorials|PicturesPage' ./cmd/allot

# Everything else that has to pass, the same instances in the same order each time: both builds under the race detector, the tests of the
# tools (report in a browser, js/wasm under node), builds for other systems, a real Slurm, false claims, fuzzing, lint, known vulnerabilities.
# The tests beside Slurm wait for most of their four minutes, so the others run meanwhile, one after the other. What the tests beside Slurm write
# is shown once they have ended.
ci: export MINUTES = 1
ci: export SEED = 1
ci: export FUZZTIME = 1s
ci:
	@$(MAKE) --no-print-directory -j3 slurm-forecast slurm-others ci-others

ci-others:
	@$(MAKE) --no-print-directory IN_ORDER=1 tutorials race cross python prove fuzz lint vuln

ifdef IN_ORDER
.NOTPARALLEL:
endif

# gotestsum runs go test and ends with what failed and what was skipped, and why. It is pinned in tools/gotestsum/go.mod.
GOTEST = go tool -modfile=tools/gotestsum/go.mod gotestsum --format pkgname --format-hide-empty-pkg -- $(if $(filter 0,$(RAPID_SEED)),-count=1) -vet=off -timeout $(TIMEOUT)

# The build with HiGHS under the race detector, which needs a C compiler. That detector finds nothing in work of a single goroutine, which is
# most: packages without a second goroutine are left out, -short draws fewer cases, and tests of nothing else are skipped (see internal/race).
# make deep has them all. Vet is left to lint, which looks at this build too. The tests of HiGHS run in full besides, as the detector does not
# watch it. GORACE takes away the second that each program waits at its end under the detector.
race:
	@set -e; concurrent=$$(tools/highs go run ./internal/race/cmd/concurrent -tags highs ./...); \
		echo "race detector: $$(echo "$$concurrent" | wc -l) packages whose tests have several goroutines"; \
		GOGC=400 GORACE=atexit_sleep_ms=0 tools/highs $(GOTEST) -tags highs -race -short ./solvers $$concurrent
	tools/highs $(GOTEST) -tags highs -run Highs ./solvers ./solvers/internal/allocation
	CGO_ENABLED=0 $(GOTEST) ./internal/doubling

# The types of everything for the other systems that the library and the command build for, and the tests of the tools, which build for js/wasm (with
# -trimpath, like the page) and run that where there is node, and the page where there is a Chromium.
cross:
	@set -e; typecheck=$$(mktemp -d); trap 'rm -rf "$$typecheck"' EXIT; CGO_ENABLED=0 go -C tools build -o "$$typecheck" ./typecheck; \
	for platform in $(PLATFORMS); do \
		echo "types for $$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} "$$typecheck/typecheck"; \
	done
	CGO_ENABLED=0 GOOS=js GOARCH=wasm GOFLAGS=-trimpath go vet ./web/wasm
	cd tools && $(subst tools/,,$(GOTEST)) ./...

# The tests beside a real Slurm, which need no root; without Slurm they are skipped. SLURM_ROOT=FOLDER takes what tools/slurm-unpack has unpacked there.
# The forecasts wait four minutes for jobs that sleep, so the others run beside them, on a Slurm of their own. In the pure build, as make deep has
# compiled that already.
slurm:
	@$(MAKE) --no-print-directory -j2 slurm-forecast slurm-others

# Tests that run beside others write everything at their end.
WHOLE = out=$$(mktemp); CGO_ENABLED=0 ALLOT_SLURM=1 $(GOTEST) $(1) >$$out 2>&1; status=$$?; echo; echo "go test $(1)"; cat $$out; rm -f $$out; exit $$status

slurm-forecast:
	@$(call WHOLE,-run SlurmForecast ./cmd/allot)

slurm-others:
	@$(call WHOLE,-run 'Slurm|Live|NothingIsLeft' -skip SlurmForecast ./internal/slurmtest ./formats/slurm ./cmd/allot)

# The Python package from its wheel, in an environment of its own: mypy and pytest. Without Python, or an index of packages, it says so.
#   make python PYTHON=python3.13 ARGS="-k threads"    ALLOT_KILLS=200 kills Python so often
python:
	@PYTHON='$(PYTHON)' python/try $(value ARGS)

# The wheels for eight platforms in the folder dist. Other Pythons than that of make python do as well; the same commit gives the same bytes.
wheels:
	@tools=$$(PYTHON='$(PYTHON)' python/tools-env) && "$$tools" python/wheels.py dist

PYTHON ?= python3

# The page, its engine and the documentation as a static site in the folder dist/site, for any file server: the engine takes some minutes to compress. Without npm it says so.
site:
	@go -C tools run ./site -C '$(CURDIR)' -o '$(CURDIR)/dist/site'

PLATFORMS = windows/amd64 darwin/amd64 darwin/arm64 js/wasm wasip1/wasm

# Benchmarks, and a table of what they measure beside the committed figures and the targets; the text stays in OUT.
#   make bench BENCH=Search COUNT=5 OUT=new.txt     BENCH as in go test -bench
#   make bench BENCH=Highs TAGS=highs               those of HiGHS are in that build alone
#   make bench ARGS="-benchtime 1x"                 once each, to see that they run
bench:
	@$(BENCHTABLE) $(MEASURE)

# The same, and the figures become the committed ones: on a machine that does nothing else.
baseline:
	@$(BENCHTABLE) -record $(MEASURE)

BENCHTABLE = go -C tools run ./benchtable -C '$(CURDIR)'
MEASURE    = -o '$(OUT)' -run $(if $(TAGS),tools/highs) go test -v -tags '$(TAGS)' -run '^$$' -bench '$(value BENCH)' -count $(COUNT) -timeout 0 $(value ARGS) ./...

# Solvers on your own instances, in the form of go test -bench; a line says why a solver does not take one.
#   make compare-bench INSTANCES='mine/*.json' SOLVERS=muscle,mts,mine=search:effort=3
compare-bench:
	@go test -run '^$$' -bench '^Benchmark$$' -benchtime 1x -timeout 0 $(value ARGS) ./bench -args -instances '$(INSTANCES)' -solvers '$(SOLVERS)'

INSTANCES ?= examples/four.json
SOLVERS   ?= muscle,titan,mts,ggone,search

# Forty batches, each with five objectives, for solvers of all formulations: the table of docs/four.md, and a report in run-four/report.html.
# RECORD=1 makes the results those of the page and of the README: on a machine that does nothing else, for the times.
four:
	@rm -rf run-four
	@go run ./cmd/allot bench bench/suites/four.json >/dev/null
	@go run ./cmd/allot bench report run-four -o run-four/report.html
	@go run ./cmd/allot bench report run-four --table summary --against minmin
	$(if $(RECORD),go test . -run Generated -update -four run-four)

lint:
	CGO_ENABLED=0 $(TOOL) golangci-lint run ./...
	go -C tools tool golangci-lint run ./...
	tools/highs $(TOOL) golangci-lint run --build-tags highs $$(grep -rl --include='*.go' '^//go:build.*highs' . | xargs dirname | sort -u)
	@if command -v shellcheck >/dev/null; then shellcheck .ci/run .ci/fuzz .ci/vuln python/try python/tools-env tools/highs tools/slurm tools/slurm-unpack; \
	else echo "shellcheck is not installed: the shell scripts are not looked at"; fi

# Every fuzz target for as long as you like: make fuzz FUZZTIME=10m
fuzz:
	.ci/fuzz $(FUZZTIME)

# Looks for false claims: bounds, optima and schedules, against instances whose optimum is known by construction or by a MILP.
#   make prove MINUTES=3 SEED=1     the seed of the instances; without one it is the time of day
# What is false ends up in prove-failures-SEED, and the exit status is not 0.
prove:
	tools/highs go run -tags highs ./internal/prove/cmd/prove -minutes '$(MINUTES)' $(if $(SEED),-seed '$(SEED)')

# Not part of CI, as it takes most of an hour: one-line faults, each put into a copy of the repository, where a test has to fail.
#   make mutants ARGS="-run ^bound -jobs 2"    some of them, two at a time
#   make mutants ARGS="-operators ./proof"     every operator, number and statement of a package instead
#   make mutants ARGS="-operators ./plan,./sim -sample 100 -seed 1"    a hundred of those of two packages
mutants:
	go -C tools run ./mutants -C '$(CURDIR)' $(value ARGS)

# The archives of a release for five systems, with lists of their modules and checksums, in the folder dist. The version is the tag of the commit.
# ALLOT_SIGNING_KEY names the key of OpenSSH that signs the checksums.
release:
	go -C tools run ./release -C '$(CURDIR)' -o '$(CURDIR)/dist'

# Known vulnerabilities in what we call, by a database on the network: GOVULNDB names another. Where none answers it says so and looks at nothing.
vuln:
	@.ci/vuln $(TOOL) govulncheck ./...
