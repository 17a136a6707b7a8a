package backfill

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// orders are all orders of a queue.
var orders = []string{"", byArrival, byShortest, byLongest, bySmallest, byWFP3, byF1, byMultifactor, byClass}

// drawRanking draws an order with its parameters.
func drawRanking(t *rapid.T) Ranking {
	f := Factors{
		WeightAge: rapid.SampledFrom([]float64{0, 1000}).Draw(t, "age"), MaxAge: rapid.SampledFrom([]float64{3, 1000}).Draw(t, "maxAge"),
		WeightSize: rapid.SampledFrom([]float64{0, 300}).Draw(t, "size"), MaxSize: rapid.SampledFrom([]*float64{nil, new(3.0)}).Draw(t, "maxSize"),
		FavourSmall: rapid.Bool().Draw(t, "small"),
		WeightShare: rapid.SampledFrom([]float64{0, 5000}).Draw(t, "share"), HalfLife: rapid.SampledFrom([]float64{0, 7, 1e6}).Draw(t, "halfLife"),
		Damping: rapid.SampledFrom([]float64{1, 2.5}).Draw(t, "damping"), MaxClass: 1,
	}
	bound := rapid.SampledFrom([]*float64{nil, nil, new(0.0), new(2.0), new(15.0)}).Draw(t, "bound")
	return Ranking{Order: rapid.SampledFrom(orders).Draw(t, "by"), BoundWait: bound, Factors: f}
}

// slowRank orders a queue in the plainest way. It shares no code with the policies.
type slowRank struct {
	Ranking
	processors int
	jobs       []sim.Spec
	last       float64
	used, held map[int32]float64
	begun      map[int]bool
	over       map[int]bool
}

// newSlowRank is the order for a workload on a number of processors.
func newSlowRank(r Ranking, jobs []sim.Spec, processors int) *slowRank {
	return &slowRank{Ranking: r, processors: processors, jobs: jobs, used: map[int32]float64{}, held: map[int32]float64{}, begun: map[int]bool{}, over: map[int]bool{}}
}

// usage is what each user has used until now, decayed.
func (s *slowRank) usage(now float64, started, left func(k int) bool) {
	for k := range s.jobs {
		if started(k) && !s.begun[k] {
			s.begun[k] = true
			s.held[s.jobs[k].User] += float64(s.jobs[k].Processors)
		}
	}
	passed := now - s.last
	s.last = now
	for k := range s.jobs {
		if user := s.jobs[k].User; s.jobs[k].Arrival <= now {
			s.used[user] += 0
		}
	}
	for user := range s.used {
		if h := s.Factors.HalfLife; h == 0 {
			s.used[user] += s.held[user] * passed
		} else {
			s.used[user] = s.used[user]*math.Exp2(-passed/h) + s.held[user]*(-math.Expm1(-passed/h*math.Ln2)*h/math.Ln2)
		}
	}
	for k := range s.jobs {
		if left(k) && !s.over[k] {
			s.over[k] = true
			s.held[s.jobs[k].User] -= float64(s.jobs[k].Processors)
		}
	}
}

// value is the score of a job.
func (s *slowRank) value(now float64, k int) float64 {
	j := &s.jobs[k]
	wait, n := now-j.Arrival, float64(j.Processors)
	if s.BoundWait != nil && wait > *s.BoundWait {
		return math.Inf(1)
	}
	switch s.Order {
	case "sjf":
		return -j.Estimate
	case "ljf":
		return j.Estimate
	case "saf":
		return -(n * j.Estimate)
	case "wfp3":
		if j.Estimate == 0 {
			return math.MaxFloat64
		}
		return math.Min(wait/j.Estimate*(wait/j.Estimate)*(wait/j.Estimate)*n, math.MaxFloat64)
	case "f1":
		return -(math.Log10(math.Max(1, j.Estimate))*n + 870*math.Log10(math.Max(1, j.Arrival)))
	case "multifactor":
		f := s.Factors
		most := float64(s.processors)
		if f.MaxSize != nil {
			most = *f.MaxSize
		}
		size := math.Min(1, n/most)
		if f.FavourSmall {
			size = 1 - size
		}
		total := 0.0
		for user := int32(0); user < 100; user++ {
			total += s.used[user]
		}
		share := 1.0
		if total > 0 {
			share = math.Exp2(-s.used[j.User] / total * float64(len(s.used)) / f.Damping)
		}
		return f.WeightAge*math.Min(1, wait/f.MaxAge) + f.WeightSize*size + f.WeightShare*share
	}
	return 0
}

// sort sorts queued jobs, which are in the order of arrival.
func (s *slowRank) sort(now float64, queue []int) {
	slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(s.value(now, b), s.value(now, a)) })
}

// slowPlan is the intervals in which processors are held.
type slowPlan []struct {
	from, to   float64
	processors int32
}

// free is the processors free at a time.
func (p slowPlan) free(processors int32, at float64) int32 {
	for _, x := range p {
		if x.from <= at && at < x.to {
			processors -= x.processors
		}
	}
	return processors
}

// holds says whether a number of processors is free from one time until another.
func (p slowPlan) holds(processors, size int32, from, to float64) bool {
	times := []float64{from}
	for _, x := range p {
		times = append(times, x.from, x.to)
	}
	return !slices.ContainsFunc(times, func(t float64) bool { return from <= t && t < to && p.free(processors, t) < size })
}

// deep is one pass of EASY with several reservations over the jobs in the order given.
func (n *naive) deep(queue []int, depth int) {
	var plan slowPlan
	for len(queue) > 0 && n.specs[queue[0]].Processors <= n.free(n.now) {
		n.launch(queue[0])
		queue = queue[1:]
	}
	for k := range n.specs {
		if n.running(k) {
			plan = append(plan, struct {
				from, to   float64
				processors int32
			}{n.now, n.expectedEnd(k), n.specs[k].Processors})
		}
	}
	free := n.free(n.now)
	for _, k := range queue {
		s := &n.specs[k]
		from, to := n.now, n.now+s.Estimate
		if s.Processors <= free && plan.holds(n.processors, s.Processors, from, to) {
			n.launch(k)
			free -= s.Processors
		} else {
			if depth == 0 {
				continue
			}
			depth--
			times := []float64{n.now}
			for _, x := range plan {
				times = append(times, x.from, x.to)
			}
			slices.Sort(times)
			for _, t := range times {
				if end := n.reservedEnd(k, t); t >= n.now && plan.holds(n.processors, s.Processors, t, end) {
					from, to = t, end
					break
				}
			}
		}
		plan = append(plan, struct {
			from, to   float64
			processors int32
		}{from, to, s.Processors})
	}
}

// TestRankedNaive compares fcfs, easy of every depth and conservative in every order with versions that look at every job at each instant,
// start by start, in both worlds.
func TestRankedNaive(t *testing.T) {
	tb := t
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 17))
		specs, processors := randomTrace(rng)
		users := 1 + rng.Int32N(4)
		b := model.NewBuilder("ranked").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: int(processors)}}})
		for k := range specs {
			specs[k].User = rng.Int32N(users + 1)
		}
		known := map[int32]int32{0: 0} // users count from 1 in the order of their first job
		for k := range specs {
			if _, met := known[specs[k].User]; !met {
				known[specs[k].User] = int32(len(known))
			}
			specs[k].User = known[specs[k].User]
			s := specs[k]
			job := model.JobSpec{ID: shownNumber(k), Arrival: s.Arrival, Processors: model.Rigid(int(s.Processors)), Work: &s.Runtime, Estimate: &s.Estimate}
			if s.User > 0 {
				job.User = "user " + shownNumber(int(s.User))
			}
			b.Job(job)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		step := rapid.SampledFrom([]float64{1, 0.25, 3}).Draw(t, "step")
		r := drawRanking(t)
		kill := rapid.Bool().Draw(t, "kill")
		depth := rapid.SampledFrom([]int{1, 1, 2, 3, 1000}).Draw(t, "depth")
		most := rapid.SampledFrom([]int{1, 2, 3, 5, 8, 1000}).Draw(t, "reservations")
		slow := func(decide func(*naive, []int)) []float64 {
			s := newSlowRank(r, specs, int(processors))
			return newNaive(specs, processors, step, kill, func(n *naive) {
				s.usage(n.now, n.started, func(k int) bool { return n.left[k] })
				queue := n.queue()
				s.sort(n.now, queue)
				decide(n, queue)
			}).start
		}
		for _, c := range []struct {
			name string
			want []float64
			got  sim.Discipline
		}{
			{"fcfs", slow(func(n *naive, queue []int) {
				for _, k := range queue {
					if specs[k].Processors > n.free(n.now) {
						return
					}
					n.launch(k)
				}
			}), FCFS(r)},
			{"easy", slow(func(n *naive, queue []int) { n.deep(queue, depth) }), EASY(step, depth, r)},
			{"conservative", slow(naiveConservativeOf), Conservative(step, r)},
			{"conservative up to some", slow(func(n *naive, queue []int) { n.naiveConservativeUpTo(most, queue) }), ConservativeUpTo(most, step, r)},
		} {
			got := replay(tb, slices.Clone(specs), processors, c.got, kill)
			for k := range c.want {
				if c.want[k] != got[k] {
					t.Fatalf("%s: job %d of %d starts at %v, the naive version says %v\n%s", c.name, k, len(specs), got[k], c.want[k], shown(specs, processors))
				}
			}
			if kill {
				continue
			}
			sol, _, err := sim.Simulate(context.Background(), in, sim.Discipline{General: c.got.General}, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range sol.Jobs {
				if k, _ := in.JobIndex(p.Job); p.Start != c.want[k] {
					t.Fatalf("%s, of an instance: job %d starts at %v, the naive version says %v\n%s", c.name, k, p.Start, c.want[k], shown(specs, processors))
				}
			}
		}
	})
}

// TestScoresByHand works out the score of a job of each order by hand: on 8 processors, 4 wanted, an estimate of 100, arrived at 1000. The greater
// score goes first.
func TestScoresByHand(t *testing.T) {
	far, bound := math.Inf(1), new(50.0)
	factors := Factors{WeightAge: 7, MaxAge: 200, WeightSize: 3, WeightShare: 5, Damping: 1, WeightClass: 2, MaxClass: 10}
	small, capped := factors, factors
	small.FavourSmall, capped.MaxSize = true, new(2.0)
	for _, c := range []struct {
		r                      Ranking
		now, arrival, estimate float64
		class, want            float64
	}{
		{Ranking{Order: bySmallest}, 1040, 1000, 100, 0, -400},
		{Ranking{Order: byWFP3}, 1200, 1000, 100, 0, 8 * 4},
		{Ranking{Order: byWFP3}, 1000, 1000, 100, 0, 0},
		{Ranking{Order: byWFP3}, 1000, 1000, 0, 0, math.MaxFloat64},
		{Ranking{Order: byWFP3}, 1e300, 0, 1e-300, 0, math.MaxFloat64},
		{Ranking{Order: byF1}, 1200, 1000, 100, 0, -(2*4 + 870*3)},
		{Ranking{Order: byF1}, 1200, 0, 100, 0, -2 * 4},
		{Ranking{Order: byF1}, 1200, 10, 0, 0, -870},
		{Ranking{Order: byF1, BoundWait: bound}, 1050, 1000, 100, 0, -(2*4 + 870*3)},
		{Ranking{Order: byF1, BoundWait: bound}, 1051, 1000, 100, 0, far},
		{Ranking{Order: byF1, BoundWait: new(0.0)}, 1000, 1000, 100, 0, -(2*4 + 870*3)},
		{Ranking{Order: byF1, BoundWait: new(0.0)}, 1001, 1000, 100, 0, far},
		{Ranking{Order: byMultifactor, Factors: factors}, 1050, 1000, 100, 5, 7*0.25 + 3*0.5 + 5 + 2*0.5},
		{Ranking{Order: byMultifactor, Factors: factors}, 1000, 1000, 0, 0, 3*0.5 + 5},
		{Ranking{Order: byMultifactor, Factors: factors}, 1800, 1000, 100, 40, 7 + 3*0.5 + 5 + 2}, // age and class no more than 1
		{Ranking{Order: byMultifactor, Factors: small}, 1000, 1000, 100, 0, 3*0.5 + 5},
		{Ranking{Order: byMultifactor, Factors: capped}, 1000, 1000, 100, 0, 3 + 5},
	} {
		s := newScorer(c.r, 8)
		j := &sim.Job{Arrival: c.arrival, Estimate: c.estimate, Processors: 4}
		s.arrived(j)
		if got := s.score(c.now, j, c.estimate, 4, c.class); got != c.want && !(math.Abs(got-c.want) <= 1e-9) {
			t.Errorf("%s at %v, arrived at %v, estimate %v: %v, expected %v", c.r.Order, c.now, c.arrival, c.estimate, got, c.want)
		}
	}
}

// TestShareOfUsage: user 1 held 3 processors for 10, then user 2 held 3 for 10. Without decay both used half of all; with a half-life of 10 user 1 has
// used a third. When all usage has decayed to nothing both have the factor of users who used nothing.
func TestShareOfUsage(t *testing.T) {
	for _, c := range []struct{ halfLife, first, second float64 }{{0, 0.5, 0.5}, {10, 1. / 3, 2. / 3}} {
		s := newScorer(Ranking{Order: byMultifactor, Factors: Factors{WeightShare: 1, MaxAge: 1, HalfLife: c.halfLife, Damping: 1, MaxClass: 1}}, 8)
		s.shares.addUser(1)
		s.shares.addUser(2)
		s.begin(0)
		for user := range int32(2) {
			s.shares.users[user+1].held = 3
			s.shares.ended = append(s.shares.ended, release{user + 1, 3})
			s.begin(10 * float64(user+1))
		}
		for user, usage := range map[int32]float64{1: c.first, 2: c.second} {
			if got, want := s.shares.factor(user), math.Exp2(-usage/0.5); math.Abs(got-want) > 1e-12 {
				t.Errorf("half-life %v: the factor of user %d is %v, expected %v", c.halfLife, user, got, want)
			}
		}
		s.begin(1e6)
		if got := s.shares.factor(1); c.halfLife > 0 && got != 1 {
			t.Errorf("half-life %v: the factor of a user whose usage has decayed to nothing is %v", c.halfLife, got)
		}
	}
}
