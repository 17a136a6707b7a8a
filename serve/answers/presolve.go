package answers

import (
	"strings"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Presolve is what was left out of an instance before a solver got it.
type Presolve struct {
	Rules []string `json:"rules"` // a text a rule that applied, with counts
}

// PresolveFor says what is left out for a solver; stated is that of [solve.Options].
func PresolveFor(solver solve.Solver, in *model.Instance, stated bool) *Presolve {
	_, reduction := solve.NewPresolver(in).For(solver, stated)
	rules := []string{}
	if text := strings.TrimSpace(reduction.String()); text != "" {
		rules = strings.Split(text, "\n")
	}
	return &Presolve{rules}
}
