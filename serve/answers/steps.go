package answers

import (
	"context"
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
)

// Steps are the steps of a solver.
type Steps struct {
	Steps []solve.Step `json:"steps"`
}

// Traced is a run whose steps are asked for.
type Traced struct {
	In     *model.Instance
	Choice solve.Choice
	Seed   uint64
	Made   *model.Solution // the schedule that the run must make; nil: any
}

// TracedOf is the run that has made the solution, by what the solution states.
func TracedOf(in *model.Instance, sol *model.Solution) (*Traced, error) {
	choice, err := ChoiceOf(sol)
	return &Traced{in, choice, sol.Seed, sol}, err
}

// Check returns an [*OptionError] if the solver does not state its steps.
func (t *Traced) Check() error {
	name := t.Choice.Info.Name
	if _, rolling := t.Choice.Solver.(*solve.Rolling); rolling {
		name += " in rolling use"
	} else if t.Choice.Info.Traces {
		return nil
	}
	stating := kit.That(solve.Solvers(), func(info solve.Info) bool { return info.Traces })
	return optionf("trace", "solver %s does not state its steps; these do: %s", name, strings.Join(kit.Each(stating, func(info solve.Info) string { return info.Name }), ", "))
}

// Run runs the solver to its end. The result has no solution where it finds none, or ctx ends before.
func (t *Traced) Run(ctx context.Context, tell func(solve.Step)) (solve.Result, error) {
	return solve.Run(ctx, t.Choice, t.In, solve.Options{Seed: t.Seed, Unbounded: true, Trace: tell})
}

// Differs says how the schedule of a run differs from the one that it must make; empty: it does not.
func (t *Traced) Differs(found *model.Solution) string {
	if t.Made == nil {
		return ""
	}
	name, placed := t.Choice.Info.Name, map[string]*model.Placement{}
	for k := range t.Made.Jobs {
		placed[t.Made.Jobs[k].Job] = &t.Made.Jobs[k]
	}
	for k := range found.Jobs {
		p := &found.Jobs[k]
		stated := "leaves it out"
		if other := placed[p.Job]; other != nil {
			if solve.SamePlacement(p, other) {
				continue
			}
			stated = fmt.Sprintf("runs it on %s from %s", PlaceOf(nil, other), numtext.Figure(other.Start))
		}
		return fmt.Sprintf("%s runs job %s on %s from %s, but the solution %s", name, p.Job, PlaceOf(nil, p), numtext.Figure(p.Start), stated)
	}
	if len(t.Made.Jobs) > len(found.Jobs) {
		return fmt.Sprintf("the solution places %d jobs, but %s places %d", len(t.Made.Jobs), name, len(found.Jobs))
	}
	return ""
}

// PlaceOf describes the place where a job runs. It names machines where the instance, if one is given, says what jobs ask of single machines.
func PlaceOf(in *model.Instance, p *model.Placement) string {
	pieces := p.Pieces
	if len(pieces) == 0 {
		pieces = []model.Piece{{Cluster: p.Cluster, Processors: p.Processors}}
	}
	places := kit.Each(pieces, func(piece model.Piece) string {
		machines := ""
		if in != nil && in.Features()&plan.NodeFeatures != 0 {
			if c, known := in.ClusterIndex(piece.Cluster); known {
				machines = OnMachines(in.MachineNames(c, piece.Processors))
			}
		}
		return fmt.Sprintf("%s, processors %s%s,", piece.Cluster, piece.Processors, machines)
	})
	return strings.Join(places, " and ")
}

// OnMachines names machines behind their cluster.
func OnMachines(names []string) string {
	const most = 8
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + more + ")"
}
