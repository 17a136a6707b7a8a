# The verbs of the project; .ci/run calls test and lint. The linter and its like are pinned in tools/go.mod.
TOOL     := go tool -modfile=tools/go.mod
TIMEOUT  ?= 10m
FUZZTIME ?= 10s
BENCH    ?= .
COUNT    ?= 1

.PHONY: run test bench lint fuzz vuln

run:
	go run ./cmd/allot solve examples/multicluster.json

# The race detector needs cgo and a C compiler; the library and the command must build without either.
test:
	go vet ./...
	CGO_ENABLED=0 go build ./...
	CGO_ENABLED=1 go test -race -timeout $(TIMEOUT) ./...
	.ci/fuzz $(FUZZTIME)

# To compare two versions: make bench COUNT=10 >new.txt, then go tool -modfile=tools/go.mod benchstat old.txt new.txt
bench:
	@go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -timeout 0 ./...

lint:
	$(TOOL) golangci-lint run ./...

# Every fuzz target for as long as you like: make fuzz FUZZTIME=10m
fuzz:
	.ci/fuzz $(FUZZTIME)

# Not part of CI: it asks a vulnerability database on the network.
vuln:
	$(TOOL) govulncheck ./...
