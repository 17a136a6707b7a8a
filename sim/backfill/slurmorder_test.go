package backfill

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// submitter is who submitted a job, and where.
type submitter struct{ user, account, queue string }

// slurmReplay works out the priorities of a queue at an instant from nothing but what has happened until then: it replays all of it with a ledger of its own.
type slurmReplay struct {
	Ranking
	specs      []sim.Spec
	by         []submitter
	processors int32
}

// happening is something that the plugin hears of.
type happening struct {
	at   float64
	kind int // 0: a submission, 1: an end, 2: a pass, 3: a start, 4: the end of a job that takes no time
	job  int
}

// sort sorts queued jobs.
func (s *slurmReplay) sort(n *naive, queue []int) {
	priorities := s.priorities(n)
	slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(priorities[b], priorities[a]) })
}

// priorities are those of all jobs that have arrived.
func (s *slurmReplay) priorities(n *naive) map[int]float64 {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	site := Site{Site: multifactor.Site{Nodes: 1, CPUs: float64(s.processors)}}
	if s.Site != nil {
		site = *s.Site
	}
	all := func(string) map[string]float64 { return map[string]float64{"cpu": float64(s.processors), "node": 1} }
	site.Partitions = slices.Clone(site.Partitions)
	for k := range site.Partitions {
		if p := &site.Partitions[k]; p.Total == nil {
			p.Total = all(p.Name)
		}
	}
	tree, err := multifactor.NewTree(s.Settings(), site.Associations)
	must(err)
	for _, by := range s.by {
		for _, a := range []multifactor.Association{{Account: by.account, Shares: 1}, {Account: by.account, User: by.user, Shares: 1}} {
			if tree.Find(a.Account, a.User, "") < 0 {
				_, err := tree.Add(a)
				must(err)
			}
		}
	}
	ledger, err := multifactor.NewLedger(tree, nil)
	must(err)
	calculator, err := multifactor.NewCalculator(tree, site.Site)
	must(err)
	entries, priorities := map[int]multifactor.Entry{}, map[int]float64{}
	events := s.happened(n)
	last := 0 // pass
	for i, e := range events {
		if e.kind == 2 {
			last = i
		}
	}
	for i, e := range events {
		k, spec := e.job, n.specs[e.job]
		switch e.kind {
		case 0:
			by := s.by[k]
			job := multifactor.Job{Account: by.account, User: by.user, Partitions: calculator.Partitions(by.queue, all), Nodes: 1, CPUs: float64(spec.Processors), Limit: max(1, math.Ceil(spec.Estimate/60)),
				TRES: map[string]float64{"cpu": float64(spec.Processors), "node": 1}}
			entry, err := calculator.Entry(&job)
			must(err)
			entries[k], priorities[k] = entry, calculator.Priority(&entry, e.at, spec.Arrival)
		case 1, 4:
			ledger.End(int64(k), e.at)
		case 3:
			ledger.Begin(multifactor.Run{Number: int64(k), Association: entries[k].Association, Start: e.at, Billing: float64(spec.Processors), UsageFactor: 1})
		case 2:
			var waiting []multifactor.Waiting
			for k := range n.specs {
				if n.specs[k].Arrival <= e.at && !(n.start[k] < e.at) {
					waiting = append(waiting, multifactor.Waiting{Number: int64(k), Association: entries[k].Association})
				}
			}
			ledger.Pass(e.at, waiting)
			if i < last && !calculator.IncreaseOnly {
				continue // the next pass says anew what all that wait have
			}
			for _, w := range waiting {
				entry := entries[int(w.Number)]
				priority := calculator.Priority(&entry, e.at, n.specs[w.Number].Arrival)
				if calculator.IncreaseOnly {
					priority = max(priority, priorities[int(w.Number)])
				}
				priorities[int(w.Number)] = priority
			}
		}
	}
	return priorities
}

// happened is what has happened until now.
func (s *slurmReplay) happened(n *naive) []happening {
	var list []happening
	for k := range n.specs {
		if n.specs[k].Arrival <= n.now {
			list = append(list, happening{n.specs[k].Arrival, 0, k})
		}
		if n.started(k) {
			list = append(list, happening{n.start[k], 3, k})
		}
		if n.left[k] {
			kind := 1
			if n.end[k] == n.start[k] {
				kind = 4
			}
			list = append(list, happening{n.end[k], kind, k})
		}
	}
	for k := 0.0; k*s.CalcPeriod <= n.now; k++ {
		list = append(list, happening{k * s.CalcPeriod, 2, 0})
	}
	slices.SortStableFunc(list, func(a, b happening) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	return list
}

// drawSlurmOrder draws the order slurm with its parameters, and perhaps a site.
func drawSlurmOrder(t *rapid.T, processors int32) Ranking {
	weight := func(name string) float64 { return rapid.SampledFrom([]float64{0, 7, 1000, 1e9}).Draw(t, name) }
	r := DefaultRanking()
	r.Order = bySlurm
	r.Factors = Factors{
		WeightAge: weight("age"), MaxAge: rapid.SampledFrom([]float64{3, 40}).Draw(t, "maxAge"), WeightSize: weight("size"), FavourSmall: rapid.Bool().Draw(t, "small"),
		SizeByTime: rapid.Bool().Draw(t, "byTime"), WeightShare: weight("share"), FairShare: rapid.SampledFrom([]string{"tree", "classic"}).Draw(t, "fairShare"),
		HalfLife: rapid.SampledFrom([]float64{0, 7, 1000}).Draw(t, "halfLife"), CalcPeriod: rapid.SampledFrom([]float64{1, 3, 7.5}).Draw(t, "period"),
		Damping: rapid.SampledFrom([]float64{1, 3}).Draw(t, "damping"), WeightQueue: weight("queue"), WeightAssociation: weight("association"), WeightQuality: weight("quality"),
	}
	if rapid.Bool().Draw(t, "site") {
		settings := multifactor.DefaultSettings()
		settings.WeightTRES = []multifactor.Weight{{TRES: "cpu", Weight: 100}}
		settings.IncreaseOnly, settings.DepthOblivious = rapid.Bool().Draw(t, "increaseOnly"), rapid.Bool().Draw(t, "oblivious")
		settings.CalculateRunning = rapid.Bool().Draw(t, "running")
		r.Site = &Site{
			Settings: settings,
			Site: multifactor.Site{Nodes: 2, CPUs: 2 * float64(processors), Partitions: []multifactor.Partition{
				{Name: "q1", JobFactor: 5, Total: map[string]float64{"cpu": 3 * float64(processors)}}, {Name: "q2", JobFactor: 2},
			}},
			Associations: []multifactor.Association{
				{Account: "root", Usage: 130}, {Account: "a1", Shares: 3, Usage: 100}, {Account: "a1", User: "u1", Shares: 1, Usage: 30, Priority: 4}, {Account: "a1", User: "u2", Inherits: true, Usage: 70},
				{Account: "a2", Parent: "a1", Shares: 1, Usage: 0}, {Account: "a2", User: "u1", Shares: 2}, {Account: "a3", Usage: 30},
			},
		}
	}
	return r
}

// TestSlurmOrderNaive compares the policies in the order slurm with versions that work out every priority from the beginning at each instant, start by start.
func TestSlurmOrderNaive(t *testing.T) { slurmOrderNaive(t, 80, func(*Ranking) {}) }

// TestSlurmOrderOfAJobThatComesAlone: a job that joins an empty queue has its priority like any other. The draw is one in which the job that came alone and the one behind it have nearly the same.
func TestSlurmOrderOfAJobThatComesAlone(t *testing.T) {
	slurmOrderOf(t, 0x27fad5, 80, func(processors int32) (step float64, depth int, r Ranking) {
		if processors != 11 {
			t.Fatalf("%d processors: the draw is another one", processors)
		}
		r = DefaultRanking()
		r.Order, r.Factors = bySlurm, Factors{MaxAge: 3, WeightShare: 7, FairShare: shareClassic, CalcPeriod: 7.5, Damping: 1}
		return 1, 1, r
	})
}

// TestSlurmNeverFallsNaive does the same where priorities never fall and only the classic fair share counts: what a pass has between two instants counts then too.
func TestSlurmNeverFallsNaive(t *testing.T) {
	slurmOrderNaive(t, 50, func(r *Ranking) {
		settings := multifactor.DefaultSettings()
		settings.IncreaseOnly = true
		r.Factors = Factors{MaxAge: 3, WeightShare: 4e9, FairShare: shareClassic, HalfLife: 7, CalcPeriod: 1, Damping: 1}
		r.Site = &Site{Settings: settings}
	})
}

// slurmOrderNaive compares under settings that are drawn and changed, with at most the given number of jobs.
func slurmOrderNaive(t *testing.T, most int, change func(*Ranking)) {
	rapid.Check(t, func(t *rapid.T) {
		slurmOrderOf(t, rapid.Uint64().Draw(t, "seed"), most, func(processors int32) (step float64, depth int, r Ranking) {
			step = rapid.SampledFrom([]float64{1, 0.25, 3}).Draw(t, "step")
			r = drawSlurmOrder(t, processors)
			change(&r)
			return step, rapid.SampledFrom([]int{1, 1, 2, 3, 1000}).Draw(t, "depth"), r
		})
	})
}

// slurmOrderOf compares under given settings the jobs that are drawn by a seed.
func slurmOrderOf(t rapid.TB, seed uint64, most int, settings func(processors int32) (step float64, depth int, r Ranking)) {
	rng := rand.New(rand.NewPCG(seed, 23))
	specs, processors := randomDeep(rng, 120)
	specs = specs[:min(len(specs), most)] // the naive form is slow
	for k, from := len(specs)-1, specs[0].Arrival; k >= 0 && from >= 1e9; k-- {
		specs[k].Arrival -= from // and makes all passes from 0 on
	}
	b := model.NewBuilder("slurm").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: int(processors)}}})
	by := make([]submitter, len(specs))
	for k, s := range specs {
		by[k] = submitter{fmt.Sprintf("u%d", rng.IntN(4)), fmt.Sprintf("a%d", rng.IntN(4)), fmt.Sprintf("q%d", rng.IntN(3))}
		if rng.IntN(5) == 0 {
			by[k].queue = "q1,q2"
		}
		b.Job(model.JobSpec{ID: shownNumber(k), Arrival: s.Arrival, Processors: model.Rigid(int(s.Processors)), Work: &s.Runtime, Estimate: &s.Estimate, User: by[k].user, Group: by[k].account, Queue: by[k].queue})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	step, depth, r := settings(processors)
	if err := r.CheckOrder(in); err != nil {
		t.Fatal(err)
	}
	slow := func(decide func(*naive, []int)) []float64 {
		s := &slurmReplay{r, specs, by, processors}
		return newNaive(specs, processors, step, false, func(n *naive) {
			queue := n.queue()
			s.sort(n, queue)
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
	} {
		sol, _, err := sim.Simulate(context.Background(), in, c.got, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range sol.Jobs {
			if k, _ := in.JobIndex(p.Job); p.Start != c.want[k] {
				t.Fatalf("%s: job %d starts at %v, the naive version says %v\n%+v\n%s", c.name, k, p.Start, c.want[k], by, shown(specs, processors))
			}
		}
	}
}

// TestSlurmSettings checks that a site's settings come back from the order's parameters.
func TestSlurmSettings(t *testing.T) {
	s := multifactor.Settings{
		WeightAge: 1, WeightAssoc: 2, WeightFairshare: 3, WeightJobSize: 4, WeightPartition: 5, WeightQOS: 6, WeightTRES: []multifactor.Weight{{TRES: "cpu", Weight: 7}},
		MaxAge: 8, HalfLife: 9, CalcPeriod: 10, Reset: multifactor.Monthly, Dampening: 11, FavourSmall: true, Flags: multifactor.Flags{Classic: true, RelativeToTime: true, RawQOS: true},
	}
	r, err := SlurmRanking(&Site{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Settings(); fmt.Sprint(got) != fmt.Sprint(s) {
		t.Errorf("expected %+v, found %+v", s, got)
	}
	in, err := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.CheckOrder(in); err == nil || !strings.Contains(err.Error(), "PriorityUsageResetPeriod=MONTHLY needs the date of time 0") {
		t.Errorf("found %v", err)
	}
	r.Site.Settings.Reset, r.HalfLife = multifactor.Never, 0.5
	if err := r.CheckOrder(in); err == nil || !strings.Contains(err.Error(), "half-life") {
		t.Errorf("found %v", err)
	}
	if _, err := SlurmRanking(&Site{}); err == nil || !strings.Contains(err.Error(), "PriorityMaxAge") {
		t.Errorf("found %v", err)
	}
}

// A job that waits for another one ages from the end of that one, and with ACCRUE_ALWAYS from its submission.
func TestSlurmAgeOfDependants(t *testing.T) {
	for _, always := range []bool{false, true} {
		in, err := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
			Job(model.JobSpec{ID: "first", Processors: model.Rigid(1), Work: new(100.0)}).
			Job(model.JobSpec{ID: "dependant", Arrival: 1, Processors: model.Rigid(1), Work: new(10.0), After: []string{"first"}}).
			Job(model.JobSpec{ID: "other", Arrival: 50, Processors: model.Rigid(1), Work: new(10.0)}).Build()
		if err != nil {
			t.Fatal(err)
		}
		settings := multifactor.DefaultSettings()
		settings.WeightAge, settings.CalcPeriod, settings.AccrueAlways = 1e9, 1, always
		r, err := SlurmRanking(&Site{Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		sol, _, err := sim.Simulate(context.Background(), in, FCFS(r), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{"first": 0, "dependant": 110, "other": 100}
		if always {
			want["dependant"], want["other"] = 100, 110
		}
		for _, p := range sol.Jobs {
			if p.Start != want[p.Job] {
				t.Errorf("ACCRUE_ALWAYS %v: job %s starts at %v, expected %v", always, p.Job, p.Start, want[p.Job])
			}
		}
	}
}
