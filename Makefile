# The verbs of the project; .ci/run calls test, prove, fuzz and lint. The linter and its like are pinned in tools/go.mod.
TOOL     := go tool -modfile=tools/go.mod
TIMEOUT  ?= 10m
FUZZTIME ?= 10s
BENCH    ?= .
COUNT    ?= 1
OUT      ?= bench.txt
TAGS     ?=
ARGS     ?=
MINUTES  ?= 30
SEED     ?=

.PHONY: run highs test bench baseline lint fuzz prove mutants vuln

run:
	go run ./cmd/allot solve examples/multicluster.json

# The MILP solver for builds with -tags highs: the system's, or built once a machine (about 2 minutes). See tools/highs.
highs:
	@tools/highs

# Both builds: pure Go, which needs no C compiler, and with HiGHS, under the race detector, which needs one.
# Package solvers has the longest tests; named first it leaves no core waiting for it at the end.
test:
	go vet ./...
	CGO_ENABLED=0 go test -timeout $(TIMEOUT) ./solvers ./...
	go -C tools vet ./...
	go -C tools test -race -timeout $(TIMEOUT) ./...
	tools/highs go vet -tags highs ./...
	tools/highs go test -tags highs -run Highs -timeout $(TIMEOUT) ./solvers
	tools/highs go test -tags highs -race -timeout $(TIMEOUT) ./solvers ./...

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

lint:
	$(TOOL) golangci-lint run ./...
	go -C tools tool golangci-lint run ./...
	tools/highs $(TOOL) golangci-lint run --build-tags highs ./...

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
mutants:
	go -C tools run ./mutants -C '$(CURDIR)' $(value ARGS)

# Not part of CI: it asks a vulnerability database on the network.
vuln:
	$(TOOL) govulncheck ./...
