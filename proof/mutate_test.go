package proof_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// claimed is a certificate of an instance, and what the least costs of each metric are.
type claimed struct {
	in    *model.Instance
	text  []byte
	least map[string]float64
}

// tiny is a random instance of up to four jobs, whose optimum is found by trying every order of them on all clusters.
func tiny(t testing.TB, rng *rand.Rand) *model.Instance {
	b := model.NewBuilder("tiny")
	for c := range 1 + rng.IntN(2) {
		b.Cluster(cluster(string(rune('x'+c)), 1+rng.IntN(4), float64(1+rng.IntN(2))))
	}
	if rng.IntN(3) == 0 {
		b.Spec().Licences = map[string]int{"l": 2}
	}
	unit := []float64{1, 0.1, 0.3125}[rng.IntN(3)]
	for k := range 2 + rng.IntN(3) {
		j := job(string(rune('a'+k)), 1+rng.IntN(2), float64(1+rng.IntN(6))*unit)
		if rng.IntN(2) == 0 {
			j.Arrival = float64(rng.IntN(4)) * unit
		}
		if rng.IntN(2) == 0 {
			j.Deadline = new(float64(rng.IntN(8)) * unit)
		}
		if k > 0 && rng.IntN(3) == 0 {
			j.After = []string{string(rune('a' + rng.IntN(k)))}
		}
		if b.Spec().Licences != nil && rng.IntN(2) == 0 {
			j.Licences = map[string]int{"l": 1 + rng.IntN(2)}
		}
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for j := range in.Jobs() {
		if !slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { at, _ := in.ClusterIndex(c.ID); return in.CanRun(j, at) }) {
			return tiny(t, rng)
		}
	}
	return in
}

// run is a job in a schedule.
type run struct {
	job, cluster, size int
	start, end         float64
}

// optima are the least values of the metrics over all schedules in which no job can start earlier: every order of the starts, on all clusters.
func optima(in *model.Instance) map[string]float64 {
	least := map[string]float64{}
	var extend func(plan []run, left int)
	extend = func(plan []run, left int) {
		if left == 0 {
			for metric, value := range costs(in, plan) {
				if old, known := least[metric]; !known || value < old {
					least[metric] = value
				}
			}
			return
		}
		for j := range in.Jobs() {
			if left&(1<<j) == 0 {
				continue
			}
			for c := range in.Clusters() {
				if next, ok := early(in, plan, j, c); ok {
					extend(append(plan[:len(plan):len(plan)], next), left&^(1<<j))
				}
			}
		}
	}
	extend(nil, 1<<len(in.Jobs())-1)
	return least
}

// early places a job on a cluster as early as it can start, but not before the last start; false: it waits for a job without a place, or cannot run.
func early(in *model.Instance, plan []run, j, c int) (run, bool) {
	if !in.CanRun(j, c) {
		return run{}, false
	}
	size, _ := in.Width(j, c)
	from := in.Jobs()[j].Arrival
	for _, before := range in.Jobs()[j].After {
		k := slices.IndexFunc(plan, func(r run) bool { return r.job == before })
		if k < 0 {
			return run{}, false
		}
		from = max(from, plan[k].end)
	}
	if len(plan) > 0 {
		from = max(from, plan[len(plan)-1].start)
	}
	copies := func(k int) (n int) {
		for _, need := range in.Jobs()[k].Licences {
			n += need.Copies
		}
		return n
	}
	for {
		held, licences, next := size, copies(j), math.Inf(1)
		for _, r := range plan {
			if r.end <= from {
				continue
			}
			next = min(next, r.end)
			licences += copies(r.job)
			if r.cluster == c {
				held += r.size
			}
		}
		if held <= in.Clusters()[c].Processors && licences <= 2 {
			return run{j, c, size, from, from + in.DurationOn(j, c, size)}, true
		}
		from = next
	}
}

// costs are the metrics of a schedule of all jobs.
func costs(in *model.Instance, plan []run) map[string]float64 {
	found := map[string]float64{}
	n := float64(len(plan))
	type sums struct{ jobs, last, busy, over float64 }
	clusters := make([]sums, len(in.Clusters()))
	for _, r := range plan {
		job, c := &in.Jobs()[r.job], &clusters[r.cluster]
		over := max(0, r.end-job.Deadline)
		found["makespan"] = max(found["makespan"], r.end-in.FirstArrival())
		found["mean_response"] += (r.end - job.Arrival) / n
		found["mean_wait"] += (r.start - job.Arrival) / n
		found["over_deadline"] += over
		if over > 1e-6 {
			found["missed"]++
		}
		c.jobs++
		c.last, c.busy, c.over = max(c.last, r.end-in.FirstArrival()), c.busy+float64(r.size)*(r.end-r.start), c.over+over
	}
	found["missed"] += 0
	for c := range clusters {
		s, w := &clusters[c], in.Clusters()[c].Weights
		idle := float64(in.Clusters()[c].Processors)*s.last - s.busy
		found["mcp"] += model.ComprehensivePerformance(w, idle, s.last, s.over) * s.jobs / n
	}
	return found
}

// queues are a few tasks on machines that are queues, and the least penalty of all assignments.
func queues(t testing.TB, rng *rand.Rand) (*model.Instance, map[string]float64) {
	b := model.NewBuilder("queues").Minimise("qos_penalty", 1)
	machines := []model.MachineSpec{
		{ID: "m", Count: 1 + rng.IntN(2), Speed: 2, Cost: 0.2, Queue: &model.QueueSpec{ServiceRate: 0.5, ArrivalVariance: new(3.0), ServiceVariance: new(1.0)}},
		{ID: "n", Speed: 1, Cost: 0.1, Queue: &model.QueueSpec{ServiceRate: 0.3, ArrivalVariance: new(4.0), ServiceVariance: new(2.0)}},
	}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: machines})
	n := 3 + rng.IntN(2)
	for k := range n {
		j := job(string(rune('a'+k)), 1, float64(1+rng.IntN(8)))
		j.Deadline, j.Budget = new(float64(1+rng.IntN(9))), new(0.2+rng.Float64())
		b.Job(j)
	}
	b.Spec().Queueing = &model.QueueingSpec{Rate: float64(n) / 10, Period: 10}
	in := built(t, b)
	least, places := math.Inf(1), make([]int, n)
	var try func(k int)
	try = func(k int) {
		if k < n {
			for places[k] = range in.Clusters()[0].Processors {
				try(k + 1)
			}
			return
		}
		sol, free := &model.Solution{}, make([]float64, in.Clusters()[0].Processors)
		for j, p := range places {
			set := model.Processors(p)
			end := free[p] + in.Duration(j, 0, set)
			sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: "c", Processors: set, Start: free[p], End: end})
			free[p] = end
		}
		if value, err := model.Objective(in, sol); err == nil {
			least = min(least, value)
		}
	}
	try(0)
	return in, map[string]float64{"qos_penalty": least}
}

// claims are certificates of random instances by all methods. All are verified and state no more than is true.
func claims(t testing.TB, instances int) (list []claimed) {
	rng := rand.New(rand.NewPCG(23, 1))
	add := func(in *model.Instance, least map[string]float64) {
		for _, text := range claimsOf(t, in, least) {
			list = append(list, claimed{in, text, least})
		}
	}
	for k := range instances {
		in := tiny(t, rng)
		add(in, optima(in))
		if k%3 == 0 {
			add(queues(t, rng))
		}
	}
	return list
}

// claimsOf are the certificates of one instance, for each metric whose least value is known.
func claimsOf(t testing.TB, in *model.Instance, least map[string]float64) (list [][]byte) {
	for _, metric := range slices.Sorted(maps.Keys(least)) {
		target, err := in.WithObjective(map[string]float64{metric: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := bound.NewCertified(t.Context(), target)
		p.Limit(least[metric])
		p.Improve(t.Context(), 2_000_000)
		found := p.Certificates()
		if metric == "qos_penalty" {
			choice, err := solve.Choose("ggone")
			if err != nil {
				t.Fatal(err)
			}
			result, err := solve.Run(t.Context(), choice, target, solve.Options{Certify: true})
			if err != nil {
				t.Fatal(err)
			}
			if result.Certificate != nil {
				found = append(found, result.Certificate)
			}
		}
		for _, c := range found {
			r := proof.Check(t.Context(), in, c)
			value, _ := c.Bound.Value()
			if r.Verdict != proof.Verified || value > least[metric]*(1+1e-9) {
				t.Errorf("%v ≥ %v of at least %v: %v", metric, value, least[metric], r)
			}
			if len(c.Parts) > 0 {
				list = append(list, c.Bytes())
			}
		}
	}
	return list
}

// True certificates are changed in every way, and false ones made of them: none is verified that states more than is true.
func TestNoMutatedCertificateIsAccepted(t *testing.T) {
	list := claims(t, 30)
	rng := rand.New(rand.NewPCG(1, 23))
	counts, kinds := map[proof.Verdict]int{}, map[string]int{}
	unread := 0
	for range race.Fewer(30_000, 2_000) {
		c := &list[rng.IntN(len(list))]
		text, kind := mutated(t, rng, c)
		kinds[kind]++
		read, err := proof.Read(bytes.NewReader(text), "mutated")
		if err != nil {
			unread++
			continue
		}
		began := time.Now()
		r := proof.Check(t.Context(), c.in, read)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s took %v", kind, took)
		}
		counts[r.Verdict]++
		if r.Verdict == proof.Verified && !c.allows(read) {
			t.Fatalf("%s: verified, and false: least %v\n%s", kind, c.least, text)
		}
		if r.Verdict == proof.Refuted && r.Step == "" {
			t.Errorf("%s: %v", kind, r)
		}
	}
	t.Log(unread, "not read", counts, kinds)
	if counts[proof.Verified] < 1000 || counts[proof.Refuted] < 10_000/race.Fewer(1, 15) || len(kinds) < 10 {
		t.Errorf("%v %v: the test says little", counts, kinds)
	}
}

// allows says that a certificate states nothing but the truth.
func (c *claimed) allows(found *proof.Certificate) bool {
	if found.Infeasible != nil || len(found.Objective) == 0 {
		return false
	}
	sum := 0.0
	for metric, weight := range found.Objective {
		least, known := c.least[metric]
		if !known && weight != 0 {
			return false
		}
		sum += weight * least // each alone at its least: the sum is not below that
	}
	value, _ := found.Bound.Value()
	if len(found.Objective) > 1 {
		return true // a sum of several is not enumerated
	}
	return value <= sum+1e-9*max(1, math.Abs(sum))
}

// Beyond enumeration: no certificate that claims more than a known schedule costs is accepted, however it is changed.
func TestNoCertificateAboveAKnownScheduleIsAccepted(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 23))
	for _, known := range []struct {
		path   string
		metric string
		solver string
	}{{"../data/mcp/mcp-n040-1.json", "mcp", "search"}, {"../data/ggone/ggone-J0050_b.json", "qos_penalty", "ggone"}, {"../examples/workflow.json", "makespan", "search"}} {
		in, err := model.ReadInstanceFile(known.path)
		if err != nil {
			t.Fatal(err)
		}
		target, err := in.WithObjective(map[string]float64{known.metric: 1})
		if err != nil {
			t.Fatal(err)
		}
		choice, err := solve.Choose(known.solver)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(t.Context(), choice, target, solve.Options{Certify: true, MaxEvals: 3000})
		if err != nil || result.Certificate == nil {
			t.Fatal(err, result.Certificate)
		}
		if out := proof.CheckSolution(t.Context(), in, result.Certificate, result.Solution); out.Verdict != proof.Verified {
			t.Fatalf("%s: %+v", known.path, out)
		}
		c := claimed{in, result.Certificate.Bytes(), map[string]float64{known.metric: *result.Solution.Objective}}
		refuted := 0
		for range race.Fewer(250, 20) {
			text, kind := mutated(t, rng, &c)
			read, err := proof.Read(bytes.NewReader(text), "mutated")
			if err != nil {
				continue
			}
			switch r := proof.Check(t.Context(), in, read); {
			case r.Verdict == proof.Verified && !c.allows(read):
				t.Fatalf("%s: %s: verified, and false", known.path, kind)
			case r.Verdict == proof.Refuted:
				refuted++
			}
		}
		if refuted < race.Fewer(50, 4) {
			t.Errorf("%s: %d refuted: the test says little", known.path, refuted)
		}
	}
}

// place is a value in a tree of JSON with what replaces it.
type place struct {
	value any
	set   func(any)
	drop  func()
	twice func()
}

// places lists all values of a tree.
func places(tree any, list []place) []place {
	switch node := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(node)) {
			list = append(list, place{node[name], func(x any) { node[name] = x }, func() { delete(node, name) }, func() { node[name+"_"] = copied(node[name]) }})
			list = places(node[name], list)
		}
	case []any:
		for k := range node {
			list = append(list, place{node[k], func(x any) { node[k] = x }, nil, nil})
			list = places(node[k], list)
		}
	}
	return list
}

// copied is a value of its own, so that no tree comes to contain itself.
func copied(value any) (x any) {
	text, _ := json.Marshal(value)
	_ = json.Unmarshal(text, &x)
	return x
}

// mutated changes a certificate. In most cases it claims more than is true: then any other change may hide that.
func mutated(t *testing.T, rng *rand.Rand, c *claimed) (text []byte, kind string) {
	var tree map[string]any
	if err := json.Unmarshal(c.text, &tree); err != nil {
		t.Fatal(err)
	}
	part := tree["parts"].([]any)[0].(map[string]any)
	if over := rng.IntN(4); over > 0 {
		more := c.least[part["metric"].(string)]*(1+[]float64{1e-6, 1e-3, 0.5}[rng.IntN(3)]) + 1e-6
		tree["bound"], part["bound"] = more, more
		if rng.IntN(4) == 0 {
			part["step"] = []float64{more, more / 2, 1, 0.1, 1e-9, 1e9}[rng.IntN(6)]
		}
	}
	for range 1 + rng.IntN(3) {
		all := places(tree, nil)
		at := all[rng.IntN(len(all))]
		switch value := at.value.(type) {
		case float64:
			kind = "number"
			at.set([]any{value + 1, value - 1, -value, value * 2, value / 2, 0.0, value * (1 + 1e-6), 1e300, -1e300, 1e-300, rng.NormFloat64() * 10, float64(rng.IntN(5)),
				copied(all[rng.IntN(len(all))].value)}[rng.IntN(13)])
		case string:
			kind = "text"
			at.set([]any{"", "0" + value, "jobs", "bucket", "load", "room", "rate", strings.Repeat("0", 64), "makespan", "mcp", "l", 1.0}[rng.IntN(12)])
		case []any:
			kind = "list"
			switch k := rng.IntN(max(1, len(value))); {
			case len(value) == 0:
				at.set([]any{0.0})
			case rng.IntN(3) == 0:
				kind = "element dropped"
				at.set(slices.Delete(slices.Clone(value), k, k+1))
			case rng.IntN(2) == 0:
				kind = "element twice"
				at.set(slices.Insert(slices.Clone(value), k, copied(value[k])))
			default:
				other := slices.Clone(value)
				rng.Shuffle(len(other), func(a, b int) { other[a], other[b] = other[b], other[a] })
				at.set(other)
				kind = "list shuffled"
			}
		case map[string]any:
			kind = "object replaced"
			at.set(copied(all[rng.IntN(len(all))].value))
		}
		if at.drop != nil && rng.IntN(8) == 0 {
			kind = "field dropped"
			at.drop()
		} else if at.twice != nil && rng.IntN(30) == 0 {
			kind = "unknown field"
			at.twice()
		}
	}
	switch rng.IntN(60) {
	case 0:
		tree["objective"], kind = map[string]any{[]string{"makespan", "mean_wait", "mcp", "missed"}[rng.IntN(4)]: 1 + rng.Float64()}, "another objective"
	case 1:
		tree["instance_sha256"], kind = strings.Repeat("ab", 32), "another instance"
	}
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	switch k := 1 + rng.IntN(len(text)-1); rng.IntN(60) {
	case 0:
		return append(text[:k:k], text[k+1:]...), "byte dropped"
	case 1:
		return append(append(text[:k:k], []string{"NaN", "1e999", "-", "[", "null", "0"}[rng.IntN(6)]...), text[k:]...), "text inserted"
	}
	return text, kind
}
