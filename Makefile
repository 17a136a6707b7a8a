# The verbs of the project; .ci/run calls test and lint. The linter and its like are pinned in tools/go.mod.
TOOL     := go tool -modfile=tools/go.mod
TIMEOUT  ?= 10m
FUZZTIME ?= 10s
BENCH    ?= .
COUNT    ?= 1

.PHONY: run highs test bench lint fuzz vuln

run:
	go run ./cmd/allot solve examples/multicluster.json

# The MILP solver for builds with -tags highs: the system's, or built once a machine (3 to 4 minutes). See tools/highs.
highs:
	@tools/highs

# Both builds: pure Go, which needs no C compiler, and with HiGHS, under the race detector, which needs one.
test:
	go vet ./...
	CGO_ENABLED=0 go test -timeout $(TIMEOUT) ./...
	tools/highs go vet -tags highs ./...
	tools/highs go test -tags highs -run Highs -timeout $(TIMEOUT) ./solve
	tools/highs go test -tags highs -race -timeout $(TIMEOUT) ./...
	.ci/fuzz $(FUZZTIME)

# To compare two versions: make bench COUNT=10 >new.txt, then go tool -modfile=tools/go.mod benchstat old.txt new.txt
bench:
	@go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 0 ./...

lint:
	$(TOOL) golangci-lint run ./...
	tools/highs $(TOOL) golangci-lint run --build-tags highs ./...

# Every fuzz target for as long as you like: make fuzz FUZZTIME=10m
fuzz:
	.ci/fuzz $(FUZZTIME)

# Not part of CI: it asks a vulnerability database on the network.
vuln:
	$(TOOL) govulncheck ./...
