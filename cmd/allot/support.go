package main

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/serve/answers"
)

// writeSupport writes for people what a solver takes.
func writeSupport(w *strings.Builder, s *answers.Support) {
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
