package solvers

import (
	"context"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/solve"
)

var _ = solve.Register(solve.Info{
	Name: "search",
	Doc: "Global search over assignment, order and numbers of processors, for any objective and everything an instance can ask for. It stops at the limit, or when its " +
		"schedule is proved optimal. O(jobs · steps) an evaluation at most, for as many steps as jobs run at once.",
	Source: "allot; parallel tempering after R. H. Swendsen, J.-S. Wang (1986), doi:10.1103/PhysRevLett.57.2607; annealing after S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi (1983), doi:10.1126/science.220.4598.671; " +
		"a genetic algorithm where jobs depend on each other; docs/search.md has the engines, docs/notes/search-findings.md what was tried",
	New: func() solve.Solver { return newSearch() },

	Starts: true,
})

// Search is the anytime global search of package search. From a cold start it begins, unless [search.Packs], with the best schedule of fcfs-list,
// edd, minmin, greedy and, where jobs wait for others, heft, of those that are worth a try ([solve.Worth]), and with those of several rules of priority. Which of two schedules is better says docs/rules.md: where the
// objective counts jobs, it alone judges whether a job with a hard deadline is left out.
//
// Once a round the bound is raised beside the walks, by an eighth of their work and by more near the bound; the search ends when the bound is
// reached.
//
// Complexity: O(jobs · steps) an evaluation at most, for as many steps as jobs run at once, most often far less; memory
// O(jobs · (clusters + steps)) for each of up to eight walks, or as many as workers.
type Search struct {
	Effort float64 `range:"(0, inf)" doc:"about how many seconds of one core to search if neither time nor evaluations are limited; measured by the size of the instance and counted work, not by the clock"`
	search.Walks
}

// newSearch is the solver with its defaults.
func newSearch() *Search { return &Search{Effort: 1} }

// ByObjective says that deadlines which the objective does not count do not concern it.
func (*Search) ByObjective() bool { return true }

// Supports implements [solve.Solver]: everything that an instance can ask for but jobs that must spread over the grid where jobs ask something of single
// machines, limits of power where jobs ask something of single machines or must spread or where machines are suspended by a rule, and what only [Rolling] does,
// a start on processors that earlier jobs hold.
func (*Search) Supports(in *model.Instance) error {
	return solve.Unsupported(in, ^(model.Commitments|model.NodesBeside|model.PowerLimits)|plan.CheapFeatures(in))
}

// Solve implements [solve.Solver].
func (s *Search) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := params.Check(s); err != nil {
		return solve.Result{}, err
	}
	start, evaluations, dropped := opt.Start, int64(0), (*solve.DroppedSchedule)(nil)
	stages := solve.NewStages(opt)
	if first := coldStarts(ctx, in, opt); start == nil && len(first) > 0 {
		cold := stages.Best(ctx, in, first)
		switch {
		case cold.Solution == nil && (cold.Dropped == nil || ctx.Err() != nil):
			return cold, nil
		case ctx.Err() != nil:
			cold.Solver = ""
			return cold, nil
		}
		start, evaluations, dropped = cold.Solution, cold.Evaluations, cold.Dropped
	}
	var err error
	result := solve.Result{Solution: start, Status: model.Feasible, Stop: model.StopEvaluations, Evaluations: evaluations, Dropped: dropped}
	if start != nil {
		result.Else = &solve.Result{Solution: start}
	}
	limits := search.Options{Seed: opt.Seed, Workers: opt.Workers, Walks: s.Walks}
	known := opt.SharedBound(ctx, in)
	limits.Target, limits.Owed = known.Bound(), known.Owed()
	offer := boundSchedule{in: in, known: known}
	if found := offer.next(); found != nil {
		if start, err = better(in, start, found); err != nil {
			return result, err
		}
		result.Solution = start
	}
	if known.More() {
		limits.Found = offer.next
		limits.Improve = func(ctx context.Context, work int64, best float64) (model.Bound, bool) {
			known.Limit(best)
			known.Continue(ctx, work)
			return known.Bound(), known.More()
		}
	}
	end, timed := ctx.Deadline()
	switch {
	case opt.MaxEvals > evaluations:
		limits.MaxEvals = opt.MaxEvals - evaluations
	case opt.MaxEvals > 0 && start != nil:
		result.Bound = known.Bound()
		return result, nil
	case opt.MaxEvals > 0:
		limits.MaxEvals = opt.MaxEvals
	case timed:
		// The clock is read once, to plan how long to anneal. A limit of time alone ends the run by the clock, so its result may differ from run to
		// run in any case. What earlier solvers of the run have left of the limit is known to the clock only.
		limits.Time = time.Until(end)
	default:
		limits.Effort = s.Effort
	}
	if opt.Progress != nil {
		limits.Progress = func(p search.Progress) {
			opt.Progress(solve.Progress{Evaluations: evaluations + p.Evaluations, Objective: p.Objective, Left: p.Left, Bound: known.Bound(), Owed: known.Owed(), Schedule: p.Schedule})
		}
	}
	found, err := search.Minimise(ctx, in, start, limits)
	if err != nil {
		return result, err
	}
	result.Bound = known.Bound()
	result.Solution, result.Stop = found.Solution, found.Stop
	result.Evaluations += found.Evaluations
	if result.Solution == nil {
		result.Status = model.Unknown
	}
	if opt.Start == nil {
		stages.Vouch(&result) // if nothing better was found
	}
	return result, nil
}

// boundSchedule makes the schedule that the methods of the lower bound have found on the way.
type boundSchedule struct {
	in    *model.Instance
	known *solve.SharedBound
	made  bool
}

// next is the schedule, once; nil: there is none, or it was made before.
func (p *boundSchedule) next() *model.Solution {
	order, found := p.known.Order()
	if !found || p.made {
		return nil
	}
	p.made = true
	s, err := plan.NewPlacedSchedule(p.in, plan.Filling(p.in))
	if err != nil {
		return nil // an instance that lists cannot serve
	}
	for _, j := range order {
		slot, ok := s.Earliest(j, 0)
		if !ok {
			return nil
		}
		s.Place(j, slot)
	}
	return s.Solution()
}

// better is the better of two schedules; the first may be nil.
func better(in *model.Instance, a, b *model.Solution) (*model.Solution, error) {
	if a == nil {
		return b, nil
	}
	return search.Better(in, a, b)
}

// coldStarts are the heuristics whose best schedule a search begins with; the engines add the schedules of their rules. Where jobs wait for
// others, heft is one of them, because a search so short that it ends with its start should be no worse than heft. There is none where the engine soon
// has a better one, see [search.Packs].
func coldStarts(ctx context.Context, in *model.Instance, opt solve.Options) []solve.Info {
	if search.Packs(ctx, in) {
		return nil
	}
	names := []string{"fcfs-list", "edd", "minmin", "greedy"}
	if in.Features()&model.Precedence != 0 {
		names = append(names, "heft")
	}
	var starts []solve.Info
	for _, name := range names {
		if info, err := solve.Lookup(name); err == nil {
			starts = append(starts, info)
		}
	}
	size := opt.SizeOf(in)
	return solve.Worth(in, size, filling(in, size, starts))
}

// filling makes those of the solvers fill holes that can, and names them so, where the engine's schedules fill holes: a search begins with the best schedules. The greedy solver comes without
// holes too: by the objective a job in a hole may be worse than one behind. So does each solver of which that is too much work: among very many jobs a hole is found late.
func filling(in *model.Instance, size *solve.Size, solvers []solve.Info) []solve.Info {
	if !plan.FillsHoles(in) {
		return solvers
	}
	for k := range solvers {
		of := solvers[k]
		if _, can := of.New().(filler); !can {
			continue
		}
		behind := of
		if work := of.Work; work != nil {
			behind.Work = func(in *model.Instance, size *solve.Size) float64 {
				without := *size
				without.Slot = size.Behind
				return work(in, &without)
			}
			if work(in, size) > size.Enough() {
				solvers[k] = behind
				continue
			}
		}
		if of.Name == "greedy" {
			solvers = append(solvers, behind)
		}
		solvers[k].Name += ":holes=true"
		solvers[k].New = func() solve.Solver {
			s := of.New()
			s.(filler).FillHoles()
			return s
		}
	}
	return solvers
}

// filler is a solver with the parameter of [list.Filling].
type filler interface{ FillHoles() }
