package slurm

import (
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
)

// gres is a count of a generic resource, such as 2 of gpu:h100.
type gres struct {
	name, kind string // kind is the type; empty: any
	count      int
	numbers    string // of the devices, such as 0-1,3; empty: not stated
}

// gresOf reads generic resources such as gpu:h100:2(S:0-1),gpu:h200:4, gres:gpu:a100 or gres/gpu=2, and gpu:2(IDX:0-1) of a job. A name without a number is one.
func gresOf(text string) []gres {
	var list []gres
	for _, part := range splitParenthesised(text) {
		part, more, _ := strings.Cut(strings.TrimSpace(part), "(")
		part = strings.TrimPrefix(strings.TrimPrefix(part, "gres:"), "gres/")
		words := strings.FieldsFunc(part, func(r rune) bool { return r == ':' || r == '=' })
		if len(words) == 0 || len(words[0]) > maxHostName || part == "(null)" {
			continue
		}
		g := gres{name: words[0], count: 1}
		if n, err := lines.Whole(words[len(words)-1], 0); len(words) > 1 && err == nil {
			words, g.count = words[:len(words)-1], min(n, model.MaxProcessors)
		}
		if len(words) > 1 {
			g.kind = words[1]
		}
		if numbers, found := strings.CutPrefix(more, "IDX:"); found {
			g.numbers = strings.TrimRight(numbers, ")")
		}
		if g.numbers != "N/A" {
			list = append(list, g)
		}
	}
	return list
}

// splitParenthesised cuts a list at the commas that are not in parentheses.
func splitParenthesised(list string) []string {
	depth := 0
	return strings.FieldsFunc(list, func(r rune) bool {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		return r == ',' && depth <= 0
	})
}

// countsOf counts generic resources by name.
func countsOf(list []gres) map[string]int {
	var counts map[string]int
	for _, g := range list {
		if counts == nil {
			counts = map[string]int{}
		}
		counts[g.name] = min(counts[g.name]+g.count, model.MaxProcessors)
	}
	return counts
}

// mix notes the generic resources of which a node has several types.
func (s *system) mix(types []gres) {
	first := map[string]string{}
	for _, g := range types {
		if kind, met := first[g.name]; met && kind != g.kind {
			s.mixed[g.name] = true
		} else if !met {
			first[g.name] = g.kind
		}
	}
}

// mixes says whether some node has another type beside a type such as gpu:h100. Such types are resources of their own; others are features of the nodes that have them.
func (s *system) mixes(kind string) bool {
	name, _, _ := strings.Cut(kind, ":")
	return s.mixed[name]
}

// typeName is the name in the instance of a type of generic resource that is a resource of its own.
func typeName(name, kind string) string { return name + "-" + kind }

// divide counts the types of a node that are resources of their own.
func (s *system) divide(h *host) {
	for _, g := range h.types {
		if s.mixed[g.name] && g.kind != "" {
			h.resources[typeName(g.name, g.kind)] += g.count
		}
	}
}

// byType adds to counts by name the counts of those types that are resources of their own. Nodes have them beside the sum of all types, of which a job without a
// type takes its part.
func (s *system) byType(counts, typed map[string]float64) map[string]float64 {
	for kind, n := range typed {
		if name, kind, _ := strings.Cut(kind, ":"); kind != "" && s.mixed[name] {
			counts[typeName(name, kind)] = n
		}
	}
	return counts
}

// devices says whether a resource of the instance comes in whole devices that are told apart: GPUs, or each of their types where nodes mix these.
func (s *system) devices(name string) bool {
	kind, typed := strings.CutPrefix(name, "gpu-")
	return name == "gpu" && !s.mixed["gpu"] || typed && kind != "" && s.mixed["gpu"]
}
