package answers

import (
	"fmt"
	"slices"

	"github.com/allot-opt/allot/solve"
)

// Support is what a solver takes, in short.
type Support struct {
	Honoured   []string `json:"supports,omitempty"`
	Refused    []string `json:"refuses,omitempty"`
	Objectives []string `json:"refuses_objectives,omitempty"`
	Conditions []string `json:"refuses_besides,omitempty"`
	Only       string   `json:"only,omitempty"` // why it refuses even an instance that asks for nothing; empty: it does not
}

// supportOf asks a solver what it takes. A solver that is not in this build says nothing.
func supportOf(info solve.Info) (*Support, error) {
	row, err := solve.Taken(info.Name, info)
	if err != nil || row.Absent != "" {
		return nil, err
	}
	s := &Support{Refused: solve.Refused(row.Features), Objectives: solve.Refused(row.Objectives), Conditions: solve.Refused(row.Conditions), Only: row.Plain}
	for _, c := range row.Features {
		if c.Taken {
			s.Honoured = append(s.Honoured, c.Name)
		}
	}
	return s, nil
}

// SolverPage is all that there is to know of a solver.
type SolverPage struct {
	solve.Description
	Starts  bool     `json:"starts"` // from a solution
	Online  bool     `json:"online"` // sees a job when it arrives, and its estimate
	Traces  bool     `json:"traces"` // states its steps
	Support *Support `json:"support,omitempty"`

	Policy solve.Policy `json:"-"` // of an on-line solver
}

// Solver describes the solver of a name in full.
func Solver(name string) (*SolverPage, error) {
	list := solve.Describe()
	k := slices.IndexFunc(list, func(d solve.Description) bool { return d.Name == name })
	info, err := solve.Lookup(name)
	switch {
	case err != nil:
		return nil, &OptionError{"name", err}
	case k < 0:
		return nil, &OptionError{"name", fmt.Errorf("expected the name of one solver in the list, found %q", name)}
	}
	page := &SolverPage{Description: list[k], Starts: info.Starts, Traces: info.Traces}
	page.Policy, page.Online = solve.PolicyOf(info.New())
	page.Support, err = supportOf(info)
	return page, err
}
