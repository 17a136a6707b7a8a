package backfill

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// richHold is what a job holds from one time to another.
type richHold struct {
	from, to float64
	job      int
	where    []int
}

// deep is one pass of EASY with several reservations, with memory and licences.
func (r *rich) deep(queue []int, depth int) {
	for len(queue) > 0 {
		free := r.at(r.now, nil)
		where := r.fit(&free, queue[0])
		if where == nil {
			break
		}
		r.launch(queue[0], where)
		queue = queue[1:]
	}
	var held []richHold
	for k := range r.jobs {
		if r.running(k) {
			held = append(held, richHold{r.now, r.expected(k), k, r.where[k]})
		}
	}
	for _, k := range queue {
		free := meetFrom(r, r.at(r.now, nil), held, r.now, r.now+r.jobs[k].Estimate)
		if where := r.fit(&free, k); where != nil {
			r.launch(k, where)
			held = append(held, richHold{r.now, r.now + r.jobs[k].Estimate, k, where})
			continue
		}
		if depth == 0 {
			continue
		}
		depth--
		times := []float64{r.now}
		for _, h := range held {
			times = append(times, h.from, h.to)
		}
		slices.Sort(times)
		for _, t := range times {
			if t < r.now {
				continue
			}
			free := meetFrom(r, r.all(), held, t, r.until(k, t))
			if where := r.fit(&free, k); where != nil {
				held = append(held, richHold{t, r.until(k, t), k, where})
				break
			}
		}
	}
}

// meetFrom is what the holds leave, of what is given as free, throughout an interval.
func meetFrom(r *rich, free room, held []richHold, from, to float64) room {
	times := []float64{from}
	for _, h := range held {
		times = append(times, h.from)
	}
	for _, t := range times {
		if t < from || t >= to {
			continue
		}
		then := r.all()
		for _, h := range held {
			if h.from <= t && t < h.to {
				r.take(&then, h.job, h.where)
			}
		}
		for m := range then.processors {
			free.processors[m], free.memory[m] = min(free.processors[m], then.processors[m]), min(free.memory[m], then.memory[m])
		}
		free.copies = min(free.copies, then.copies)
	}
	return free
}

// TestDeepRich compares easy with several reservations, with memory and licences, with a version that looks at everything at each instant.
func TestDeepRich(t *testing.T) {
	for seed := range race.Fewer(uint64(300), 75) {
		rng := rand.New(rand.NewPCG(seed, 23))
		r, in := randomRich(rng, seed%3 == 0)
		depth := 2 + rng.IntN(4)
		want := r.run(func(r *rich, queue []int) { r.deep(queue, depth) })
		sol, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: EASY(r.step, depth, Ranking{}).General}, sim.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if report := model.Check(in, sol); !report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations[0])
		}
		same(t, seed, "naive", in, sol, want)
	}
}

// TestRankedEveryFeature: on instances that ask for anything, the schedule passes the checker and is that of the same jobs in a stream.
func TestRankedEveryFeature(t *testing.T) {
	const simple = model.Arrivals | model.ParallelJobs | model.UnrelatedTimes
	rapid.Check(t, func(t *rapid.T) {
		features := rapid.SampledFrom([]model.Features{simple, modeltest.AllFeatures, simple | model.LicencePools, simple | model.HardDeadlines}).Draw(t, "features")
		in := modeltest.Generator{Features: features, Jobs: 12, Clusters: rapid.IntRange(1, 3).Draw(t, "clusters")}.Instance(t)
		r, depth := drawRanking(t), rapid.IntRange(1, 4).Draw(t, "depth")
		r.Factors.WeightClass = rapid.SampledFrom([]float64{0, 100}).Draw(t, "class")
		for name, d := range map[string]sim.Discipline{"fcfs": FCFS(r), "easy": EASY(1, depth, r), "conservative": Conservative(1, r)} {
			chosen, _, err := sim.Simulate(context.Background(), in, d, sim.Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if report := model.Check(in, chosen); !report.OK() {
				t.Fatalf("%s: %v", name, report.Violations)
			}
			sameInStream(t, name, in, d, sim.Options{}, chosen)
		}
	})
}

// TestSharesByHand: the usage of a user who held 2 processors from 0 to 10 and of one who held 1 from 4 on, at a time of 14, with a
// half-life of 5. Decayed usage is the integral of processors · 2^(−(14 − t)/5).
func TestSharesByHand(t *testing.T) {
	f := Factors{HalfLife: 5, Damping: 2}
	var s shares
	s.addUser(1)
	s.addUser(2)
	s.advance(0, &f)
	s.users[1].held = 2
	s.advance(4, &f)
	s.users[2].held = 1
	s.ended = append(s.ended, release{1, 2})
	s.advance(10, &f)
	s.advance(14, &f)
	integral := func(from, to float64) float64 {
		sum := 0.0
		const steps = 100000
		for k := range steps {
			at := from + (to-from)*(float64(k)+0.5)/steps
			sum += math.Exp2(-(14-at)/5) * (to - from) / steps
		}
		return sum
	}
	first, second := 2*integral(0, 10), integral(4, 14)
	for user, want := range map[int32]float64{1: first, 2: second} {
		if got := s.users[user].used; math.Abs(got-want) > 1e-6*want {
			t.Errorf("user %d: used %v, expected %v", user, got, want)
		}
		if got, want := s.factor(user), math.Exp2(-want/(first+second)*2/2); math.Abs(got-want) > 1e-6 {
			t.Errorf("user %d: factor %v, expected %v", user, got, want)
		}
	}
}

// A job that has waited longer than the bound goes first, though it is long: it starts at 12 and not after the short ones.
func TestBoundWait(t *testing.T) {
	specs := []sim.Spec{spec(0, 1, 4), spec(1, 1, 100)}
	for k := range 6 {
		specs = append(specs, spec(float64(2*k+2), 1, 4))
	}
	for _, c := range []struct {
		bound *float64
		want  float64
	}{{nil, 28}, {new(10.0), 12}, {new(0.0), 4}} {
		got := replay(t, slices.Clone(specs), 1, EASY(1, 1, Ranking{Order: byShortest, BoundWait: c.bound}), false)
		if got[1] != c.want {
			t.Errorf("a start of %v, expected %v", got[1], c.want)
		}
	}
}

// With reservations for all a job of no time starts beside a reservation that begins now, in both worlds. At 5 two processors are free: the job of 4 has
// a reservation at 20, the first job of no time takes one of the two for an instant, so the job of 2 cannot start and has a reservation at 5. The other
// job of no time takes the processor that is left.
func TestDeepNoTime(t *testing.T) {
	specs := []sim.Spec{spec(0, 2, 20), spec(0, 2, 5), spec(1, 4, 5), spec(1, 1, 0), spec(1, 2, 3), spec(1, 1, 0)}
	want := []float64{0, 0, 20, 5, 5, 5}
	discipline := EASY(1, 10, Ranking{})
	if got := replay(t, slices.Clone(specs), 4, discipline, false); !slices.Equal(got, want) {
		t.Errorf("of a stream: starts %v, expected %v", got, want)
	}
	b := model.NewBuilder("no time").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
	for k, s := range specs {
		b.Job(model.JobSpec{ID: shownNumber(k), Arrival: s.Arrival, Processors: model.Rigid(int(s.Processors)), Work: &s.Runtime, Estimate: &s.Estimate})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol, _, err := sim.Simulate(context.Background(), in, discipline, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range sol.Jobs {
		if k, _ := in.JobIndex(p.Job); p.Start != want[k] {
			t.Errorf("of an instance: job %d starts at %v, expected %v", k, p.Start, want[k])
		}
	}
}

// The arrival of a job that is too wide is no instant, as golden/README.md says: all is as without it. At 5 A has outlived its estimate and is taken to
// end at 6, so at an instant easy would start C before B.
func TestRefusedArrivalIsNoInstant(t *testing.T) {
	run := func(d sim.Discipline, wide bool) (map[string]float64, int64) {
		b := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).Job(
			model.JobSpec{ID: "A", Work: new(10.0), Estimate: new(2.0)}, model.JobSpec{ID: "B", Processors: model.Rigid(2), Work: new(4.0)},
			model.JobSpec{ID: "D", Work: new(1.5), Estimate: new(0.5)}, model.JobSpec{ID: "C", Work: new(0.5), Estimate: new(1.0)},
		)
		if wide {
			b.Job(model.JobSpec{ID: "wide", Arrival: 5, Processors: model.Rigid(3), Work: new(1.0)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		sol, totals, err := sim.Simulate(context.Background(), in, d, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		starts := map[string]float64{}
		for _, p := range sol.Jobs {
			starts[p.Job] = p.Start
		}
		return starts, totals.Instants
	}
	for name, d := range map[string]sim.Discipline{"easy": EASY(1, 1, Ranking{}), "conservative": Conservative(1, Ranking{}), "fcfs": FCFS(Ranking{}), "flexible": Flexible(1, DefaultPriorities())} {
		starts, instants := run(d, true)
		if want, without := run(d, false); !maps.Equal(starts, want) || instants != without || len(starts) != 4 {
			t.Errorf("%s: %v at %d instants, without the job that is too wide %v at %d", name, starts, instants, want, without)
		}
	}
}
