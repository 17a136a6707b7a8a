package plan

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// Where processors are all alike, two states are alike from a time on where equally many processors are released at each time from then on, and equally many before: the
// releases are those of the placements.
func TestAlikeByTheReleases(t *testing.T) {
	alike, differ := 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		in := drawPlain(t, 6)
		cluster := 0
		var states [2]*Schedule
		var released [2][]float64
		for k := range states {
			s := newSchedule(t, in)
			if _, plain := s.clusters[cluster].(*plainCluster); !plain {
				t.Skip("not plain")
			}
			processors := in.Clusters()[cluster].Processors
			released[k] = slices.Repeat([]float64{s.release(cluster)}, processors)
			for _, job := range rapid.Permutation(indices(in)).Draw(t, "order")[:rapid.IntRange(0, len(in.Jobs())).Draw(t, "placed")] {
				if slot, ok := s.Earliest(job, cluster); ok && len(in.Jobs()[job].After) == 0 {
					s.Place(job, slot)
				}
			}
			for _, p := range s.Solution().Jobs {
				if p.End == p.Start {
					continue
				}
				for _, r := range p.Processors {
					for i := r.First; i <= r.Last; i++ {
						released[k][i] = max(released[k][i], p.End)
					}
				}
			}
			states[k] = s
		}
		ready := rapid.SampledFrom([]float64{0, 1, 2, 5, 20, 1000}).Draw(t, "ready")
		for k := range released {
			for i := range released[k] {
				released[k][i] = max(released[k][i], ready)
			}
			slices.Sort(released[k])
		}
		want := slices.Equal(released[0], released[1])
		if got := states[0].clusters[cluster].alike(states[1].clusters[cluster], ready, askedAll); got != want {
			t.Fatalf("alike from %v on: %v, and the releases are %v and %v", ready, got, released[0], released[1])
		}
		if want {
			alike++
		} else {
			differ++
		}
	})
	if alike < 50 || differ < 50 {
		t.Errorf("%d states alike, %d not", alike, differ)
	}
}

// Under a power cap two states are alike from a time on only if as many processors run, and take as much power, at each time from then on: those of the placements. And they are where the
// same holds at all times.
func TestAlikeByWhatRunsUnderACap(t *testing.T) {
	alike, differ := 0, 0
	often.Check(t, 30, func(t *rapid.T) {
		w := drawWholeUnits(t)
		if w.in.Clusters()[0].PowerCap == nil {
			return
		}
		type run struct {
			processors, copies int
			power              float64
		}
		var states [2]*Resources
		var runs [2][]run // by unit
		order := rapid.Permutation(indices(w.in)).Draw(t, "order")
		for k := range states {
			r := NewResources(w.in)
			runs[k] = make([]run, len(w.price))
			other := -1 // the place of a job whose slot another one takes, which may need more or less power
			switch rapid.IntRange(0, 2).Draw(t, "change") {
			case 0:
				other = rapid.IntRange(0, len(order)-1).Draw(t, "other")
			case 1:
				at := rapid.IntRange(0, len(order)-1).Draw(t, "exchanged")
				order[0], order[at] = order[at], order[0]
			}
			for i, job := range order[rapid.IntRange(0, 1).Draw(t, "left out"):] {
				j := &w.in.Jobs()[job]
				slot, ok := r.Earliest(job, 0, j.Min, j.Arrival)
				if !ok {
					continue
				}
				taker := job
				if i == other {
					taker = rapid.IntRange(0, len(order)-1).Draw(t, "taker")
				}
				r.Take(taker, &slot)
				power := 2.0
				if own, stated := w.in.Jobs()[taker].Power(); stated {
					power = own
				}
				for at := int(slot.Start) - w.clock; at < int(slot.End)-w.clock; at++ {
					runs[k][at].processors += j.Min
					runs[k][at].copies += w.in.JobSpec(taker).Licences["l"]
					runs[k][at].power += power * float64(j.Min)
				}
			}
			states[k] = r
		}
		for from := range w.price {
			got := states[0].Alike(states[1], float64(w.clock+from), askedAll)
			if got && !slices.Equal(runs[0][from:], runs[1][from:]) || !got && slices.Equal(runs[0], runs[1]) {
				t.Fatalf("alike from unit %d on: %v; what runs by unit: %v and %v", from, got, runs[0], runs[1])
			}
			if got {
				alike++
			} else {
				differ++
			}
		}
	})
	if alike < 500 || differ < 500 {
		t.Errorf("alike at %d times, not at %d", alike, differ)
	}
}

// Whatever way jobs came and went, no step of a cap is like the one before it, also where steps of the limit state the same again. So caps are alike wherever the same runs below
// the same limit.
func TestNoStepOfACapIsLikeTheOneBefore(t *testing.T) {
	joined := 0
	rapid.Check(t, func(t *rapid.T) {
		c := &model.Cluster{}
		for k := range rapid.IntRange(1, 6).Draw(t, "steps") {
			c.PowerCap = append(c.PowerCap, model.Step{Time: float64(2 * k), Value: float64(rapid.IntRange(8, 9).Draw(t, "limit"))})
		}
		type run struct{ start, end, power, n float64 }
		var all []run
		for range rapid.IntRange(0, 5).Draw(t, "runs") {
			start := rapid.IntRange(0, 12).Draw(t, "start")
			all = append(all, run{float64(start), float64(start + rapid.IntRange(0, 5).Draw(t, "length")), float64(rapid.IntRange(0, 2).Draw(t, "power")), 1})
		}
		var caps [2]*powerCap
		for i := range caps {
			p := newPowerCap(c)
			joined += len(c.PowerCap) + 1 - len(p.Times)
			for _, r := range rapid.Permutation(all).Draw(t, "order") {
				p.add(r.start, r.end, r.power, r.n)
				if i == 0 && rapid.Bool().Draw(t, "back and forth") {
					p.add(r.start, r.end, r.power, -r.n)
					p.add(r.start, r.end, r.power, r.n)
				}
			}
			for k := 1; k < len(p.Times); k++ {
				if p.Values[k] == p.Values[k-1] {
					t.Fatalf("step %d of %+v is like the one before it", k, *p)
				}
			}
			caps[i] = p
		}
		if from := float64(rapid.IntRange(-1, 18).Draw(t, "from")); !caps[0].AlikeFrom(from, &caps[1].Function, samePower) {
			t.Fatalf("not alike from %v on: %+v and %+v", from, *caps[0], *caps[1])
		}
	})
	if joined < race.Enough(100) {
		t.Errorf("%d steps that state again what the one before them states", joined)
	}
}

// release is when processors are free at first.
func (s *Schedule) release(cluster int) float64 { return s.clusters[cluster].release(0) }

// Nodes without anything that is kept of what earlier jobs found, as where there are too many kinds of jobs to keep it, give each job the same slots.
func TestNodesThatKeepNothing(t *testing.T) {
	race.OneGoroutine(t)
	found := 0
	for seed := range uint64(race.Fewer(1500, 300)) {
		rng := rand.New(rand.NewPCG(seed, 57))
		in, placing := tinyNodes(rng)
		if in = alikeKinds(rng, in); placing.Rule == "random" {
			placing.Rule = place.First
		}
		usual, bare := newResources(in, false, placing), newResources(in, false, placing)
		if seed%4 == 0 {
			usual.QueueInstants()
			bare.QueueInstants()
		}
		for _, c := range bare.clusters {
			if g, ok := c.(*nodeCluster); ok {
				g.kept = mostMemos
			}
		}
		for range 12 {
			job, c := rng.IntN(len(in.Jobs())), rng.IntN(len(in.Clusters()))
			if running(in, job) == 1 || !in.CanRun(job, c) {
				continue
			}
			n, _ := in.Width(job, c)
			ready := in.Jobs()[job].Arrival + float64(rng.IntN(4))
			a, ok := usual.Earliest(job, c, n, ready)
			b, okBare := bare.Earliest(job, c, n, ready)
			if ok != okBare || ok && !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d: job %d on cluster %d from %v: %+v %v, without what is kept %+v %v", seed, job, c, ready, a, ok, b, okBare)
			}
			if ok {
				found++
				usual.Take(job, &a)
				bare.Take(job, &b)
			}
		}
	}
	if found < 1000 {
		t.Errorf("%d slots", found)
	}
}

// The integral of the prices is the sum of price times length over the steps, however unequal these are.
func TestIntegralOfPrices(t *testing.T) {
	often.Check(t, 20, func(t *rapid.T) {
		at := float64(rapid.IntRange(0, 3).Draw(t, "from"))
		from := at
		var times, rates []float64
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			times, rates = append(times, at), append(rates, float64(rapid.IntRange(-3, 9).Draw(t, "price")))
			at += math.Exp2(float64(rapid.IntRange(-6, 8).Draw(t, "length")))
		}
		var list [][]float64
		for k := range times {
			list = append(list, []float64{times[k], rates[k]})
		}
		b := model.NewBuilder("").Minimise("energy_cost", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 1, Busy: 1}}}}).Job(model.JobSpec{ID: "j", Work: new(0.01)})
		b.Spec().Tariff, b.Spec().Horizon = &model.TariffSpec{Per: 1, Price: list}, &model.HorizonSpec{From: from, To: at}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p := newPrices(in, 0)
		for range 20 {
			until := from + (at-from)*rapid.Float64Range(0, 1).Draw(t, "share")
			if rapid.IntRange(0, 3).Draw(t, "at a step") == 0 {
				until = times[rapid.IntRange(0, len(times)-1).Draw(t, "step")]
			}
			want := 0.0
			for k := range times {
				end := at
				if k+1 < len(times) {
					end = times[k+1]
				}
				want += rates[k] * max(0, min(end, until)-times[k])
			}
			if got := p.until(until); math.Abs(got-want) > 1e-9*max(1, p.size) {
				t.Fatalf("prices %v until %v: %v, want %v", list, until, got, want)
			}
		}
	})
}

// A job may be spread where the model says over which clusters, and all of those that allocate whole machines have no place for it alone; never where single machines count or starts have
// a price. The slowest link of a slot is that of its slowest piece.
func TestWhatMaySpread(t *testing.T) {
	spread, not := 0, 0
	often.Check(t, 20, func(t *rapid.T) {
		features := model.GridSpan | model.ParallelJobs | model.BandwidthNeeds | model.MixedMachines | model.Arrivals
		switch rapid.IntRange(0, 2).Draw(t, "beside") {
		case 1:
			features |= modeltest.NodeFeatures
		case 2:
			features |= modeltest.PowerFeatures
		}
		in := modeltest.Generator{Features: features, Jobs: 5}.Instance(t)
		r := NewResources(in)
		for job := range in.Jobs() {
			over := in.SpreadOver(job)
			want := over != nil && in.Features()&NodeFeatures == 0 && !StartsCheap(in)
			for c := range over {
				want = want && !(in.Clusters()[c].WholeMachines && in.Share(job, c) > 0)
			}
			if got := CanSpread(in, job); got != want {
				t.Fatalf("job %d may spread: %v, want %v", job, got, want)
			}
			if !want {
				not++
				continue
			}
			slot, ok := r.Spread(job, in.Jobs()[job].Min, in.Jobs()[job].Arrival)
			if !ok {
				continue
			}
			spread++
			link, is := slot.SlowestLink(in)
			if least := leastLink(in, &slot); !is || link != least {
				t.Fatalf("job %d: the slowest link is %v (%v), want %v: %+v", job, link, is, least, slot)
			}
			r.Take(job, &slot)
		}
	})
	if spread < race.Enough(30) || not < race.Enough(30) {
		t.Errorf("%d spread, %d not", spread, not)
	}
}

// The slowest link of a job over clusters with links of different bandwidth, in each order.
func TestSlowestLinkOfPieces(t *testing.T) {
	for _, links := range [][]float64{{2, 5, 9}, {9, 2, 5}, {5, 9, 2}, {2, 2, 9}, {9, 9, 9}} {
		b := model.NewBuilder("")
		for c, link := range links {
			b.Cluster(model.ClusterSpec{ID: string(rune('a' + c)), Machines: []model.MachineSpec{{ID: "m", Count: 2, Bandwidth: link}}})
		}
		in, err := b.Job(model.JobSpec{ID: "j", Work: new(6.0), Processors: model.Rigid(6), Tasks: 6, Span: "grid", Input: 10}).Build()
		if err != nil {
			t.Fatal(err)
		}
		slot, ok := NewResources(in).Spread(0, 6, 0)
		if link, is := slot.SlowestLink(in); !ok || !is || link != slices.Min(links) || link != leastLink(in, &slot) || len(slot.pieces) != 3 {
			t.Errorf("links %v: the slowest is %v (%v), %+v", links, link, is, slot)
		}
	}
}

// leastLink is the least bandwidth of the machines that hold pieces of the slot, looked up one processor at a time.
func leastLink(in *model.Instance, slot *Slot) float64 {
	least := math.Inf(1)
	for _, p := range slot.pieces {
		for _, run := range p.set {
			for i := run.First; i <= run.Last; i++ {
				c := &in.Clusters()[p.cluster]
				least = min(least, c.Machines[c.GroupOf(i)].Bandwidth)
			}
		}
	}
	return least
}
