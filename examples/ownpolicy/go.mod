// An example of a module of one's own. In yours, leave the replacement out: go get github.com/allot-opt/allot
module example.org/ownpolicy

go 1.26.0

require github.com/allot-opt/allot v0.0.0

require (
	github.com/MaxHalford/eaopt v0.4.2 // indirect
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/kballard/go-shellquote v0.0.0-20180428030007-95032a82bc51 // indirect
	github.com/lanl/highs v1.0.0 // indirect
	github.com/xrash/smetrics v0.0.0-20240521201337-686a1a2994c1 // indirect
	golang.org/x/exp v0.0.0-20221217163422-3c43f8badb15 // indirect
	golang.org/x/sync v0.25.0 // indirect
)

replace github.com/allot-opt/allot => ../..
