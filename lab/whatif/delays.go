package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// The most jobs without which the policy is run again, the most of them that are left out in pairs, and the most jobs that all these runs simulate.
const (
	mostCandidates = 20
	mostPaired     = 6
	mostSimulated  = 2_000_000
)

// Delays finds the jobs that delay the job of an answer of [Submit], with the same policy, instance and seed. Such a job is one without which the job would start earlier, all else being as it is: the policy
// is run again without it. Those that hold most of what the job needs while it waits are tried, at most 20. Where no single one delays it, pairs of the first six are tried. Blocked has those that delay it, the
// one with the most delay first, or the first pair that does. Where neither does, it is empty.
//
// It returns an error if ctx ends.
//
// Complexity: a simulation for each job and pair that is tried; in an instance of n jobs at most 2,000,000/n of them, but one at least.
func (a *Answer) Delays(ctx context.Context, policy solve.Policy, in *model.Instance, seed uint64) error {
	a.Blocked, a.Tried = []Blocker{}, 0
	spec := in.Spec()
	alone, pairs := tries(len(in.Jobs()), len(a.candidates))
	tried := a.candidates[:alone]
	for k := range tried {
		start, sooner, err := a.without(ctx, policy, spec, seed, tried[k].Job)
		if err != nil {
			return err
		}
		if a.Tried++; sooner {
			b := tried[k]
			b.StartWithout = start
			a.Blocked = append(a.Blocked, b)
		}
	}
	slices.SortStableFunc(a.Blocked, func(x, y Blocker) int { return cmp.Compare(startOr(x.StartWithout), startOr(y.StartWithout)) })
	if len(a.Blocked) > 0 {
		return nil
	}
	for last := 1; pairs > 0; last++ {
		for first := 0; first < last && pairs > 0; first++ {
			pairs--
			start, sooner, err := a.without(ctx, policy, spec, seed, tried[first].Job, tried[last].Job)
			if err != nil {
				return err
			}
			if sooner {
				x, y := tried[first], tried[last]
				x.StartWithout, y.StartWithout, x.Pair, y.Pair = start, start, y.Job, x.Job
				a.Blocked = append(a.Blocked, x, y)
				return nil
			}
		}
	}
	return nil
}

// tries says how often the policy runs again in an instance of a number of jobs: without one of the candidates, at least once, and without a pair of the first of them.
func tries(jobs, candidates int) (alone, pairs int) {
	runs := max(1, mostSimulated/jobs)
	alone = min(candidates, mostCandidates, runs)
	paired := min(alone, mostPaired)
	return alone, min(paired*(paired-1)/2, runs-alone)
}

// Holders are the jobs that hold most of what the job could use while it waits, the one with the most first. They need not delay it: see [Answer.Delays].
func (a *Answer) Holders() []Blocker {
	list := slices.DeleteFunc(slices.Clone(a.candidates), func(b Blocker) bool { return b.Share == 0 })
	slices.SortStableFunc(list, func(x, y Blocker) int { return cmp.Compare(y.Share, x.Share) })
	return list
}

// startOr is a start; +Inf: there is none.
func startOr(start *float64) float64 {
	if start == nil {
		return math.Inf(1)
	}
	return *start
}

// without is when the job starts if others are not there, and whether that is sooner.
func (a *Answer) without(ctx context.Context, policy solve.Policy, spec model.InstanceSpec, seed uint64, gone ...string) (start *float64, sooner bool, err error) {
	jobs := make([]model.JobSpec, 0, len(spec.Jobs))
	for _, j := range spec.Jobs {
		if slices.Contains(gone, j.ID) {
			continue
		}
		if slices.ContainsFunc(j.After, func(id string) bool { return slices.Contains(gone, id) }) {
			j.After = slices.DeleteFunc(slices.Clone(j.After), func(id string) bool { return slices.Contains(gone, id) })
		}
		jobs = append(jobs, j)
	}
	spec.Jobs = jobs // of this copy of the specification alone
	changed, err := model.New(spec)
	if err != nil || solve.Supports(solve.OnLine(policy), changed, false) != nil {
		return nil, false, nil // without them it is no instance for the policy
	}
	only := &probe{id: a.Job}
	if _, _, err := solve.Simulate(ctx, policy, changed, sim.Options{Seed: seed, Observer: only}); err != nil {
		return nil, false, err
	}
	return only.result.Start, startOr(only.result.Start) < startOr(a.Start), nil
}

// candidates lists the jobs that may delay the job: those that keep it waiting by what the policy says, then those that hold most of what it needs while it waits.
func (p *probe) candidates(in *model.Instance, submitted float64) []Blocker {
	var list []Blocker
	usable := map[int]bool{}  // by machine
	named := map[string]int{} // 1: by the policy, as what keeps the job waiting
	for _, c := range p.result.Causes {
		if c.For != "" {
			named[c.For] = 1
		}
	}
	for id := range named {
		if p.seen[id] == nil {
			k, _ := in.JobIndex(id)
			j := &in.Jobs()[k]
			p.seen[id] = &Blocker{Job: id, Role: roleWaits, Processors: j.Min, Submitted: j.Arrival, licences: j.Licences}
		}
	}
	for _, b := range p.seen {
		end, begin := p.until, submitted
		if b.End != nil {
			end = min(end, *b.End)
		}
		if b.Start != nil {
			begin = max(begin, b.from)
		}
		within, processors := end-begin, 0
		for _, h := range b.on {
			is, known := usable[h.machine]
			if !known {
				is = p.couldUse(h.cluster, h.machine, submitted)
				usable[h.machine] = is
			}
			if is {
				processors += h.processors
			}
		}
		if named[b.Job] > 0 || within > 0 && (processors > 0 || p.sharesLicence(b) || p.sharesPower(b) || slices.Contains(p.asked.Request.After, b.number)) {
			b.Share = float64(processors) * within
			b.Holds = p.holds(in, b)
			list = append(list, *b)
		}
	}
	slices.SortFunc(list, func(a, b Blocker) int {
		return cmp.Or(cmp.Compare(named[b.Job], named[a.Job]), cmp.Compare(b.Share, a.Share), cmp.Compare(startOr(a.Start), startOr(b.Start)), cmp.Compare(a.Job, b.Job))
	})
	return list
}

// holds is what a blocker holds, or asks for, of what the job needs too.
func (p *probe) holds(in *model.Instance, b *Blocker) []Holding {
	list := []Holding{{"processors", float64(b.Processors)}}
	for _, need := range p.asked.Request.Licences {
		for _, n := range b.licences {
			if id := p.platform.LicenceID(n.Licence); n.Licence == need.Licence && n.Copies > 0 && need.Copies > 0 && p.short(id) {
				list = append(list, Holding{"licence " + id, float64(n.Copies)})
			}
		}
	}
	if !p.platform.ByNode() {
		return list
	}
	k, _ := in.JobIndex(b.Job)
	other := in.Jobs()[k].Node()
	for _, need := range p.platform.Needs(&p.asked).Resources {
		for _, n := range other.Resources {
			if id := p.platform.Resource(n.Resource).ID; n.Resource == need.Resource && n.Amount > 0 && need.Amount > 0 && p.short(id) {
				blocks := b.Processors / max(1, other.Block)
				list = append(list, Holding{id, n.Amount.Float() * float64(blocks)})
			}
		}
	}
	return list
}

// short says whether a licence or a resource kept the job waiting at some time.
func (p *probe) short(id string) bool {
	return slices.ContainsFunc(p.result.Causes, func(c Cause) bool { return c.Of == id })
}
