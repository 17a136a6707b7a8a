package twolevel

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// naive is the two-level scheduler in the plainest way: at each event of a cluster it computes all priorities of the queue, sorts it and
// looks at every job in it. Of the code that it is compared with it uses none.
type naive struct {
	opt      Options
	platform *sim.Platform
	empty    *sim.Room
	rng      *rand.Rand
	margins  []float64
	waiting  [][]*naiveJob // by cluster
	running  [][]*naiveJob
	jobs     map[*sim.Job]*naiveJob
	event    []bool
}

// naiveJob is a job in the system.
type naiveJob struct {
	*sim.Job
	estimate, load, priority, score float64
	fastest                         []float64 // by cluster
	cluster                         int
	shares                          []sim.Share
}

func newNaive(opt Options) sim.Discipline {
	return sim.Discipline{General: func(platform *sim.Platform, seed uint64) sim.Policy {
		n := platform.Clusters()
		return &naive{opt: opt, platform: platform, empty: platform.Empty(), rng: rand.New(rand.NewPCG(seed, 0x74776f6c6576656c)), waiting: make([][]*naiveJob, n),
			running: make([][]*naiveJob, n), jobs: map[*sim.Job]*naiveJob{}, event: make([]bool, n)}
	}}
}

// Announce finds P.
func (n *naive) Announce(j *sim.Job) {
	k := &naiveJob{Job: j, estimate: n.platform.ReferenceEstimate(j)}
	for c := range n.waiting {
		k.fastest = append(k.fastest, n.platform.Fastest(j, c, n.empty))
	}
	if math.IsNaN(k.estimate) {
		k.estimate = slices.Min(k.fastest)
	}
	k.load = k.estimate * j.Request.ReferenceSpeed
	if n.jobs[j] = k; math.IsInf(slices.Min(k.fastest), 1) {
		return // it is refused
	}
	deadline := 0
	if d := j.Request.Deadline; !math.IsInf(d, 1) {
		own := max(0, d-k.estimate-j.Arrival)
		deadline = n.deadline(own, k.estimate)
		n.margins = append(n.margins, own)
	}
	if n.opt.Heuristics == none {
		return
	}
	licences := 0.0
	if all := n.platform.Licences(); all > 0 {
		licences = math.Ceil(float64(len(j.Request.Licences)*n.opt.Levels) / float64(all))
	}
	k.priority = n.opt.MSDeadline*float64(deadline) + n.opt.MSLicences*licences + n.opt.MSUser*n.platform.UserPriority(j)
}

// deadline is the deadline's part, by the tables of the paper.
func (n *naive) deadline(margin, estimate float64) int {
	last := n.margins[max(0, len(n.margins)-n.opt.Window):]
	mean, levels := 0.0, n.opt.Levels
	for _, m := range last {
		mean += m
	}
	if mean /= float64(len(last)); len(last) == 0 {
		mean = margin
	}
	part := 0
	if margin < 2*mean {
		u, s := 2*mean/(math.Pow(2, float64(levels+1))-2), []float64{0}
		for k := 1; k <= levels; k++ {
			s = append(s, s[k-1]+u*math.Pow(2, float64(k)))
		}
		for k := levels - 1; k >= 0; k-- {
			if margin < s[k+1] {
				part = levels - k
			}
		}
	}
	switch {
	case margin == 0:
		return levels
	case estimate == 0 || margin/estimate >= 1000:
		return 0
	case margin >= estimate:
		return max(0, part-int(math.Floor(margin/estimate)))
	}
	for w, r := 1, margin/estimate; r <= math.Pow(2, -float64(w)); w++ {
		part++
	}
	return min(part, levels)
}

// Arrive chooses the cluster.
func (n *naive) Arrive(j *sim.Job) {
	k := n.jobs[j]
	type at struct {
		cluster, jobs int
		load          float64
	}
	var all []at
	for c, queue := range n.waiting {
		if !n.platform.CanRun(j, c) {
			continue
		}
		a := at{cluster: c}
		if len(n.waiting) == 1 { // there is no choice
			queue = nil
		}
		for _, other := range queue {
			if other.priority >= k.priority {
				a.load, a.jobs = a.load+other.load, a.jobs+1
			}
		}
		all = append(all, a)
	}
	idle := slices.IndexFunc(all, func(a at) bool { return a.load == 0 })
	if idle < 0 {
		slices.SortStableFunc(all, func(a, b at) int { return cmp.Or(cmp.Compare(a.load, b.load), cmp.Compare(a.jobs, b.jobs)) })
		equal := 1
		for equal < len(all) && all[equal].load == all[0].load && all[equal].jobs == all[0].jobs {
			equal++
		}
		if idle = 0; equal > 1 {
			idle = n.rng.IntN(equal)
		}
	}
	k.cluster = all[idle].cluster
	n.waiting[k.cluster] = append(n.waiting[k.cluster], k)
	n.event[k.cluster] = true
}

// Release forgets a job.
func (n *naive) Release(j *sim.Job, _ int, last bool) {
	k := n.jobs[j]
	n.event[k.cluster] = true
	if !last {
		return
	}
	n.running[k.cluster] = slices.DeleteFunc(n.running[k.cluster], func(other *naiveJob) bool { return other == k })
	delete(n.jobs, j)
	for _, need := range j.Request.Licences {
		if pool, ok := n.platform.PoolOf(k.cluster, need.Licence); ok && pool.Cluster < 0 {
			for c := range n.event {
				n.event[c] = true
			}
		}
	}
}

// Decide lets the clusters decide at which something happened.
func (n *naive) Decide(e *sim.Engine) {
	for c := range n.event {
		if n.event[c] {
			n.event[c] = false
			n.pass(e, c)
		}
	}
}

// rescore computes all priorities of the queue of a cluster.
func (n *naive) rescore(now float64, c int) {
	if n.opt.Heuristics != LS {
		for _, k := range n.waiting[c] {
			k.score = k.priority
		}
		return
	}
	shortest, requests := math.Inf(1), map[int]float64{}
	for _, k := range n.waiting[c] {
		shortest = min(shortest, k.estimate)
		for _, need := range k.Request.Licences {
			requests[need.Licence]++
		}
	}
	plenty, ratio := 0.0, map[int]float64{}
	for l, asked := range requests {
		if pool, limited := n.platform.PoolOf(c, l); limited {
			ratio[l] = asked / float64(pool.Copies)
		}
		if ratio[l] <= 1 {
			plenty++
		}
	}
	w := n.opt.local()
	for _, k := range n.waiting[c] {
		next, deadline := k.fastest[c], k.Request.Deadline
		end, from := now+next, deadline-w.DeadlineK*next
		near := w.DeadlineLow
		if !math.IsInf(deadline, 1) && end > from && end <= deadline && from < deadline {
			near = w.DeadlineLow + (w.DeadlineHigh-w.DeadlineLow)*(end-from)/(deadline-from)
		}
		licences := 0.0
		for _, need := range k.Request.Licences {
			if ratio[need.Licence] > 1 {
				licences += max(plenty, 1) * ratio[need.Licence]
			} else {
				licences += ratio[need.Licence]
			}
		}
		short := 1.0
		if k.estimate > 0 {
			short = shortest / k.estimate
		}
		k.score = w.Aging*(now-k.Arrival) + near + w.Licences*licences + w.Wait*short
	}
}

// until is when a running job is taken to end.
func (n *naive) until(now float64, k *naiveJob) float64 {
	if k.EstimatedEnd > now {
		return k.EstimatedEnd
	}
	return max(now+n.opt.Step, math.Nextafter(now, math.Inf(1)))
}

// pass starts jobs of a cluster.
func (n *naive) pass(e *sim.Engine, c int) {
	now, p := e.Now(), n.platform
	slices.SortFunc(n.waiting[c], func(a, b *naiveJob) int { return cmp.Compare(a.Number, b.Number) })
	n.waiting[c] = slices.DeleteFunc(n.waiting[c], func(k *naiveJob) bool {
		hopeless := k.Request.DeadlineHard && now+k.fastest[c] > k.Request.Deadline
		if hopeless {
			e.Drop(k.Job, "too late")
		}
		return hopeless
	})
	n.rescore(now, c)
	slices.SortFunc(n.waiting[c], func(a, b *naiveJob) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Number, b.Number))
	})
	var reserved *naiveJob
	var kept []*naiveJob
	shadow, then := math.Inf(1), sim.Room{}
	for _, k := range n.waiting[c] {
		shares, ok := p.Fits(&p.Free, k.Job, c, nil)
		end := math.Inf(1)
		if ok {
			end = now + p.Estimate(k.Job, c, shares)
			ok = !k.Request.DeadlineHard || end <= k.Request.Deadline
		}
		if ok && reserved != nil && end > shadow {
			var left sim.Room
			left.CopyFrom(&then)
			p.Take(&left, k.Job, c, shares)
			if _, ok = p.Fits(&left, reserved.Job, c, nil); ok {
				then = left
			}
		}
		if ok {
			e.StartOn(k.Job, sim.Claim{Cluster: c, Shares: shares})
			k.shares = shares
			n.running[c] = append(n.running[c], k)
			continue
		}
		if kept = append(kept, k); len(kept) == 1 {
			if shadow, then, ok = n.shadow(now, k, c); ok {
				reserved = k
			}
		}
	}
	n.waiting[c] = kept
}

// shadow is the earliest expected end of a running job of the cluster at which a job fits, and what is free then.
func (n *naive) shadow(now float64, k *naiveJob, c int) (float64, sim.Room, bool) {
	var times []float64
	for _, r := range n.running[c] {
		times = append(times, n.until(now, r))
	}
	slices.Sort(times)
	for _, at := range times {
		var room sim.Room
		room.CopyFrom(&n.platform.Free)
		for _, r := range n.running[c] {
			if n.until(now, r) <= at {
				n.platform.Give(&room, r.Job, c, r.shares)
			}
		}
		if shares, ok := n.platform.Fits(&room, k.Job, c, nil); ok && (!k.Request.DeadlineHard || at+n.platform.Estimate(k.Job, c, shares) <= k.Request.Deadline) {
			return at, room, true
		}
	}
	return math.Inf(1), sim.Room{}, false
}

// randomOptions are settings of all kinds: odd ones too, with parts switched off or turned round.
func randomOptions(rng *rand.Rand) Options {
	pick := func(x ...float64) float64 { return x[rng.IntN(len(x))] }
	opt := Options{Heuristics: []heuristics{MS, LS, LS, none}[rng.IntN(4)], Step: pick(1, 0.5, 3), Levels: rng.IntN(11), Window: 1 + rng.IntN(5),
		MSDeadline: pick(0, 1, 1, 2), MSLicences: pick(0, 1, 1, 3), MSUser: pick(0, 1, 1, 0.5)}
	opt.Priorities = Defaults().Priorities
	if rng.IntN(2) == 0 {
		opt.Priorities.Aging, opt.Priorities.DeadlineLow, opt.Priorities.DeadlineHigh = pick(0, 0.001, 0.3, -0.01), pick(0, 0.1, 5), pick(0, 10, 100)
		opt.Priorities.DeadlineK, opt.Priorities.Licences, opt.Priorities.Wait = pick(0, 2, 50, 0.25), pick(0, 1, 10, -1), pick(0, 1, 10, -1)
	}
	return opt
}

// randomGrid is a small grid with jobs of all kinds. Times are multiples of a quarter, so that sums are exact and events coincide.
func randomGrid(rng *rand.Rand, most int) *model.Instance {
	b := model.NewBuilder("random")
	b.Spec().UserClasses = map[string]float64{"gold": 10, "silver": 5, "regular": 0}
	b.Spec().Licences = map[string]int{"l0": 1 + rng.IntN(3), "l1": 1 + rng.IntN(3)}
	for c := range 1 + rng.IntN(3) {
		spec := model.ClusterSpec{ID: string(rune('a' + c))}
		for m := range 1 + rng.IntN(3) {
			machine := model.MachineSpec{ID: string(rune('m' + m)), Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(4), Speed: float64(uint(1) << rng.IntN(3))}
			if rng.IntN(3) == 0 {
				machine.Licences = []string{"l1"}
			}
			if rng.IntN(4) == 0 {
				machine.Memory = new(float64(2 + rng.IntN(6)))
			}
			spec.Machines = append(spec.Machines, machine)
		}
		if rng.IntN(2) == 0 {
			spec.Licences = map[string]int{"l0": rng.IntN(4)}
		}
		b.Cluster(spec)
	}
	now, waits := 0.0, rng.IntN(4) == 0
	for k := range 2 + rng.IntN(most) {
		if rng.IntN(3) > 0 {
			now += float64(rng.IntN(8)) / 4
		}
		work := float64(rng.IntN(60)) / 4
		spec := model.JobSpec{ID: string(rune('A' + k)), Arrival: now, Processors: model.Rigid(1 + rng.IntN(4)), Work: &work}
		if rng.IntN(4) > 0 {
			spec.Estimate, spec.ReferenceSpeed = new(float64(rng.IntN(80))/4), float64(uint(1)<<rng.IntN(3))
		}
		if rng.IntN(3) > 0 {
			spec.Span = "machine"
		}
		if rng.IntN(2) == 0 {
			spec.Licences = map[string]int{}
			for _, l := range []string{"l0", "l1"} {
				if rng.IntN(2) == 0 {
					spec.Licences[l] = 1 + rng.IntN(2)
				}
			}
		}
		if rng.IntN(3) > 0 {
			spec.Deadline, spec.DeadlineHard = new(now+float64(rng.IntN(200))/4), rng.IntN(4) == 0
		}
		if rng.IntN(3) == 0 {
			spec.Memory = float64(rng.IntN(3))
		}
		if waits && k > 0 && rng.IntN(3) == 0 {
			spec.After = []string{string(rune('A' + rng.IntN(k)))}
		}
		spec.UserClass = []string{"", "gold", "silver", "regular"}[rng.IntN(4)]
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		panic(err)
	}
	return in
}
