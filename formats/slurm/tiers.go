package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// tiers are the tiers of partitions where jobs may run, each with a partition of it.
type tiers map[float64]string

// add adds those of a place; nil: none.
func (t tiers) add(p *place) {
	if p == nil {
		return
	}
	for _, q := range p.parts {
		if name, met := t[q.tier]; !met || q.name < name {
			t[q.tier] = q.name
		}
	}
}

// warning says that there are several, and what policies make of them; empty: there are not.
func (t tiers) warning(made string) string {
	if len(t) < 2 {
		return ""
	}
	var parts []string
	for _, tier := range slices.Backward(slices.Sorted(maps.Keys(t))) {
		if len(parts) == mostShown {
			parts = append(parts, fmt.Sprintf("and %d more", len(t)-mostShown))
			break
		}
		parts = append(parts, fmt.Sprintf("%.0f of %s", tier, lines.Name(t[tier])))
	}
	return "jobs are in partitions of different PriorityTier (" + strings.Join(parts, ", ") + "), and Slurm takes those of the higher tier first: " + made
}
