package workload

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// made is the workload's instance with other values in some fields.
func made(t *testing.T, seed uint64, set func(*GGOneWorkflows)) *model.Instance {
	t.Helper()
	w := Default[GGOneWorkflows]()
	set(w)
	in, err := w.Generate(seed)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// sampleMoments are the mean and the coefficient of variation of a sample.
func sampleMoments(list []float64) (mean, cv float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	variance := 0.0
	for _, x := range list {
		variance += (x - mean) * (x - mean) / float64(len(list)-1)
	}
	return mean, math.Sqrt(variance) / mean
}

// The draws have the means and coefficients of variation that are asked for, with either distribution. 20,000 works and 4,000 arrivals: the
// bounds are over four standard errors.
func TestGGOneWorkflowsDraws(t *testing.T) {
	for _, distribution := range []string{"gamma", "lognormal"} {
		in := made(t, 1, func(w *GGOneWorkflows) {
			w.Workflows, w.Distribution, w.WorkCv, w.ArrivalCv, w.Rate = 4000, distribution, 0.5, 1.5, 2
		})
		var ratios, gaps []float64
		last := 0.0
		for k, j := range in.Jobs() {
			ratios = append(ratios, j.Work/j.Estimate)
			if j.Arrival > last || k == 0 {
				gaps, last = append(gaps, j.Arrival-last), j.Arrival
			}
		}
		mean, cv := sampleMoments(ratios)
		if math.Abs(mean-1) > 0.015 || math.Abs(cv-0.5) > 0.03 {
			t.Errorf("%s: works of mean %v and CV %v of their estimates, expected 1 and 0.5", distribution, mean, cv)
		}
		mean, cv = sampleMoments(gaps[1:])
		if math.Abs(mean-0.5) > 0.05 || math.Abs(cv-1.5) > 0.3 {
			t.Errorf("%s: times between arrivals of mean %v and CV %v, expected 0.5 and 1.5", distribution, mean, cv)
		}
		if q := in.Queueing(); q.Rate != 10 || q.Charge != model.ChargeService || len(in.Workflows()) != 4000 || len(in.Jobs()) != 20000 {
			t.Errorf("%s: %+v, %d workflows, %d tasks", distribution, q, len(in.Workflows()), len(in.Jobs()))
		}
	}
}

// With no variation all is as its mean: workflows come at 0, 1/2, 1, …, and each work is its estimate.
func TestGGOneWorkflowsWithoutVariation(t *testing.T) {
	in := made(t, 1, func(w *GGOneWorkflows) { w.Workflows, w.WorkCv, w.ArrivalCv, w.Rate = 5, 0, 0, 2 })
	for k, j := range in.Jobs() {
		if j.Work != j.Estimate || j.Arrival != float64(k/5)/2 {
			t.Errorf("%s: arrival %v, work %v of estimate %v", j.ID, j.Arrival, j.Work, j.Estimate)
		}
	}
	if in.Known() != in {
		t.Error("what is known is not the truth")
	}
}

// Other values of λ and of the distributions leave the draws for other purposes as they are: common random numbers.
func TestGGOneWorkflowsCommonNumbers(t *testing.T) {
	a := made(t, 3, func(w *GGOneWorkflows) { w.Workflows, w.Graph, w.Rate = 40, "type2", 0.1 })
	b := made(t, 3, func(w *GGOneWorkflows) { w.Workflows, w.Graph, w.Rate = 40, "type2", 1 })
	if len(a.Jobs()) != len(b.Jobs()) {
		t.Fatalf("%d and %d tasks", len(a.Jobs()), len(b.Jobs()))
	}
	for k := range a.Jobs() {
		x, y := &a.Jobs()[k], &b.Jobs()[k]
		if x.ID != y.ID || x.Work != y.Work || x.Estimate != y.Estimate || math.Abs(x.Budget-y.Budget) > 1e-12 {
			t.Fatalf("%s and %s differ in more than times", x.ID, y.ID)
		}
	}
}

// The branches of a workflow are as likely as their files say, a task is there where its workflow comes to it, and the shares of what is left
// can be read from the deadlines, though the instance has only the tasks that are taken.
func TestGGOneWorkflowsBranches(t *testing.T) {
	in := made(t, 5, func(w *GGOneWorkflows) { w.Workflows, w.Graph, w.Similar = 3000, "type2", true })
	g := graphNamed("type2")
	mean, count := make([]float64, len(g.Tasks)), make([]int, len(g.Tasks))
	index := map[string]int{}
	for k := range g.Tasks {
		index[g.Tasks[k].ID] = k
	}
	at := func(j *model.Job) int { return index[j.ID[strings.IndexByte(j.ID, '.')+1:]] }
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		mean[at(j)] = j.Estimate
		count[at(j)]++
	}
	for k, want := range map[string]float64{"1": 1, "3": 1, "4": 0.1, "6": 1, "12": 0.1, "7": 0.9, "10": 0.81, "11": 0.09} {
		if got := float64(count[index[k]]) / 3000; math.Abs(got-want) > 0.025 {
			t.Errorf("task %s is in %v of the workflows, expected %v", k, got, want)
		}
	}
	order, next := make([]int, len(g.Tasks)), make([][]int, len(g.Tasks))
	for k := range g.Tasks {
		order[k], next[k] = k, g.Tasks[k].next
	}
	want := plan.PathShares(mean, next, order)
	for j, got := range plan.WorkflowShares(in) {
		if k := at(&in.Jobs()[j]); math.Abs(got-want[k]) > 1e-9*want[k] {
			t.Fatalf("%s: share %v, expected %v", in.Jobs()[j].ID, got, want[k])
		}
	}
}

// The mix has all three shapes, and tasks side by side both stand behind the first.
func TestGGOneWorkflowsMix(t *testing.T) {
	in := made(t, 2, func(w *GGOneWorkflows) { w.Workflows, w.Graph, w.Similar = 600, "hw", false })
	joins := 0
	for _, j := range in.Jobs() {
		if len(j.After) == 2 {
			joins++
		}
	}
	if joins < 150 || joins > 250 {
		t.Errorf("%d of 600 workflows have tasks side by side, expected about 200", joins)
	}
}

// A branch of three is taken as often as its probability says.
func TestGraphsDrawBranches(t *testing.T) {
	g, err := parseGraph([]byte(`{"tasks": [{"id": "a", "either": [{"task": "b", "probability": 0.5}, {"task": "c", "probability": 0.25}, {"task": "d", "probability": 0.25}]},
		{"id": "b"}, {"id": "c"}, {"id": "d"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	const draws = 4000
	counts, rng := make([]int, 4), rand.New(rand.NewPCG(1, 2))
	for range draws {
		_, taken := g.draw(rng)
		for k := range taken {
			if taken[k] {
				counts[k]++
			}
		}
	}
	for k, want := range []float64{1, 0.5, 0.25, 0.25} { // the bound is over five standard errors
		if share := float64(counts[k]) / draws; math.Abs(share-want) > 0.04 || want == 1 && share != 1 {
			t.Errorf("task %s is taken in %v of the workflows, expected %v", g.Tasks[k].ID, share, want)
		}
	}
}

// Costs are in proportion to speed, at most the largest: 0.07·20 = 1.4 is cut to 0.7.
func TestGGOneWorkflowsCosts(t *testing.T) {
	in := made(t, 1, func(w *GGOneWorkflows) { w.Workflows, w.Machines = 3, "1:20000,2:5000,1:1000" })
	for c, want := range []float64{0.7, 0.35, 0.07} {
		if got := in.Clusters()[c].Machines[0].Cost; math.Abs(got-want) > 1e-12 {
			t.Errorf("cluster %d costs %v, expected %v", c, got, want)
		}
	}
}

// The variance of the work is that of the means plus the mean of the tasks' own: means 2 and 4 with the CVs 0.5 and 1 give 1 + (1 + 16)/2.
func TestMoments(t *testing.T) {
	mean, variance := moments([]model.JobSpec{{Estimate: new(2.0), WorkCV: 0.5}, {Estimate: new(4.0), WorkCV: 1}})
	if mean != 3 || variance != 9.5 {
		t.Errorf("mean %v and variance %v, expected 3 and 9.5", mean, variance)
	}
}

// Every graph reads, and nonsense in one is an error.
func TestGraphs(t *testing.T) {
	files, err := graphFiles.ReadDir("graphs")
	if err != nil || len(files) != 5 {
		t.Fatalf("%d graphs, %v", len(files), err)
	}
	for _, file := range files {
		if g := graphNamed(strings.TrimSuffix(file.Name(), ".json")); len(g.Tasks) == 0 || g.Doc == "" {
			t.Errorf("%s: %+v", file.Name(), g)
		}
	}
	for _, text := range []string{
		"{", `{"tasks": [{}]}`, `{"tasks": [{"id": "a"}, {"id": "a"}]}`, `{"tasks": [{"id": "a", "then": ["b"]}]}`, `{"tasks": [{"id": "a", "then": ["a"]}]}`,
		`{"tasks": [{"id": "a", "either": [{"task": "b", "probability": 0.5}]}, {"id": "b"}]}`,
	} {
		if _, err := parseGraph([]byte(text)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if after, taken := graphNamed("hw3").draw(rand.New(rand.NewPCG(1, 1))); len(after[3]) != 2 || !taken[3] {
		t.Errorf("hw3: %v, %v", after, taken)
	}
}

// Drawn prices give each machine one of its own in the range, and leave the workflows as they are; k is that of the deadlines and of the view.
func TestGGOneDrawnPrices(t *testing.T) {
	plain := made(t, 1, func(w *GGOneWorkflows) { w.Workflows = 5 })
	drawn := made(t, 1, func(w *GGOneWorkflows) { w.Workflows, w.Prices, w.K = 5, "drawn", 2 })
	seen := map[float64]bool{}
	for c := range drawn.Clusters() {
		for _, m := range drawn.Clusters()[c].Machines {
			if m.Cost < 0.07 || m.Cost > 0.7 {
				t.Errorf("machine %s costs %v", m.ID, m.Cost)
			}
			seen[m.Cost] = true
		}
	}
	if len(seen) != 24 || drawn.Processors() != plain.Processors() {
		t.Errorf("%d prices and %d processors, want 24 and %d", len(seen), drawn.Processors(), plain.Processors())
	}
	for k := range plain.Jobs() {
		a, b := &plain.Jobs()[k], &drawn.Jobs()[k]
		if a.Work != b.Work || a.Arrival != b.Arrival || a.Workflow != b.Workflow {
			t.Fatalf("job %s is another one", a.ID)
		}
	}
	if k := drawn.Queueing().K; k != 2 {
		t.Errorf("k is %v, want 2", k)
	}
}

// Works that vary much come near 0, but not below what an instance can state.
func TestGGOneTinyWorks(t *testing.T) {
	in := made(t, 700004, func(w *GGOneWorkflows) { w.WorkCv, w.Rate = 2, 0.6 })
	if least := in.Jobs()[1025].Work; least != 1e-18 {
		t.Errorf("the least work is %v", least)
	}
}
