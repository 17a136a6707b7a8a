package main

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/solve"
)

// support is what a solver takes, in short.
type support struct {
	Honoured   []string `json:"supports,omitempty"`
	Refused    []string `json:"refuses,omitempty"`
	Objectives []string `json:"refuses_objectives,omitempty"`
	Conditions []string `json:"refuses_besides,omitempty"`
	Only       string   `json:"only,omitempty"` // why it refuses even an instance that asks for nothing; empty: it does not
}

// supportOf asks a solver what it takes. A solver that is not in this build says nothing.
func supportOf(info solve.Info) (*support, error) {
	row, err := solve.Taken(info.Name, info)
	if err != nil || row.Absent != "" {
		return nil, err
	}
	s := &support{Refused: solve.Refused(row.Features), Objectives: solve.Refused(row.Objectives), Conditions: solve.Refused(row.Conditions), Only: row.Plain}
	for _, c := range row.Features {
		if c.Taken {
			s.Honoured = append(s.Honoured, c.Name)
		}
	}
	return s, nil
}

// writeSupport writes for people what a solver takes.
func writeSupport(w *strings.Builder, s *support) {
	for _, line := range []struct {
		title string
		names []string
	}{{"supports", s.Honoured}, {"refuses instances with", s.Refused}, {"refuses objectives with", s.Objectives}, {"refuses besides", s.Conditions}} {
		if len(line.names) > 0 {
			fmt.Fprintf(w, "  %s: %s\n", line.title, strings.Join(line.names, ", "))
		}
	}
	if s.Only != "" {
		fmt.Fprintf(w, "  limited to some objectives or instances: it refuses a plain instance that minimises the makespan: %q\n", s.Only)
	}
}
