package serve

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/schema"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// SolversAnswer is the result of solvers: one of its members.
type SolversAnswer struct {
	Solvers []solve.Description `json:"solvers,omitempty" doc:"all solvers, as allot solvers --json lists them"`
	Solver  *answers.SolverPage `json:"solver,omitempty" doc:"the solver that was named, as allot solvers NAME --json describes it"`
}

// solvers lists the solvers or describes one.
func (c *call) solvers(_ context.Context, s *question.Solvers) (*SolversAnswer, error) {
	if s.Name == "" {
		return &SolversAnswer{Solvers: solve.Describe()}, nil
	}
	if solve.External(s.Name) {
		return nil, wrong("name", "expected the name of one solver in the list, found %q", s.Name)
	}
	page, err := answers.Solver(s.Name)
	return &SolversAnswer{Solver: page}, err
}

// SchemaAnswer is the result of schema: one of its members.
type SchemaAnswer struct {
	Names  []string `json:"names,omitempty" doc:"the names of all schemas"`
	Schema Raw      `json:"schema,omitempty" doc:"the JSON Schema (draft 2020-12) that was named"`
}

// schema gives a schema.
func (c *call) schema(_ context.Context, s *question.Schema) (*SchemaAnswer, error) {
	if s.Name == "" {
		return &SchemaAnswer{Names: schema.Names()}, nil
	}
	text, ok := schema.Text(s.Name)
	if !ok {
		return nil, wrong("name", "expected one of %v; found %q%s", schema.Names(), s.Name, suggest.Words(s.Name, schema.Names()))
	}
	return &SchemaAnswer{Schema: bytes.TrimSpace(text)}, nil
}

// sortedKeys lists the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
