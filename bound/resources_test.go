package bound

import (
	"fmt"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// gpuCluster is two nodes of 8 processors and 4 GPUs and one node without any, changed by the function.
func gpuCluster(t *testing.T, objective string, weight float64, change func(*model.InstanceSpec), jobs ...model.JobSpec) *model.Instance {
	t.Helper()
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Devices: []string{"gpu"}, Objective: map[string]float64{objective: weight}, Jobs: jobs,
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{
			{ID: "n", Count: 2, Processors: 8, Resources: map[string]float64{"gpu": 4, "cpu": 16}, Features: []string{"fast"}}, {ID: "m", Processors: 16, Resources: map[string]float64{"cpu": 64}}}}}}
	if change != nil {
		change(&spec)
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// many is n jobs alike.
func many(n int, job model.JobSpec) (list []model.JobSpec) {
	for k := range n {
		job.ID = fmt.Sprint("j", k)
		list = append(list, job)
	}
	return list
}

// What the methods by prices of machines prove, by hand, and what verifies it.
func TestBoundsByPricesOfMachines(t *testing.T) {
	closed := func(from, to float64) func(*model.InstanceSpec) {
		return func(spec *model.InstanceSpec) {
			spec.Clusters[0].Machines[0].Closed = []model.ClosedSpec{{From: from, To: new(to)}}
		}
	}
	hard := func(job model.JobSpec, deadline float64) model.JobSpec {
		job.Deadline, job.DeadlineHard = new(deadline), true
		return job
	}
	gpus := func(n float64) model.JobSpec {
		return model.JobSpec{Work: new(10.0), Resources: map[string]float64{"gpu": n}}
	}
	for _, c := range []struct {
		name, objective string
		weight          float64
		change          func(*model.InstanceSpec)
		jobs            []model.JobSpec
		method          string
		want            float64
	}{
		{"24 jobs of 10 with a GPU each, on 8", "makespan", 1, nil, many(24, gpus(1)), "resource-area", 30},
		{"24 shares of a half", "makespan", 1, nil, many(24, gpus(0.5)), "resource-area", 15},
		{"3 jobs that have a fast node to themselves", "makespan", 1, nil,
			many(3, model.JobSpec{Work: new(10.0), Exclusive: true, Features: [][]string{{"fast"}}}), "resource-area", 15},
		{"20 processors of jobs that need 2 cores, on fast nodes", "makespan", 1, nil,
			many(20, model.JobSpec{Work: new(10.0), Features: [][]string{{"fast"}}, Resources: map[string]float64{"cpu": 2}}), "resource-area", 12.5},
		{"blocks of two processors hold a GPU", "makespan", 1, nil,
			many(8, model.JobSpec{Processors: model.Rigid(4), Block: 2, Work: new(10.0), Resources: map[string]float64{"gpu": 1}}), "resource-area", 20},
		{"16 jobs, and the nodes are closed from 12 to 15", "makespan", 1, closed(12, 15), many(16, gpus(1)), "resource-area", 23},
		{"16 jobs that cannot begin before the nodes are closed, from 5 to 8", "makespan", 1, closed(5, 8), many(16, gpus(1)), "resource-area", 28},
		{"16 jobs that are expected to take 1 run on while the nodes are closed, from 12 to 15", "makespan", 1, closed(12, 15),
			many(16, model.JobSpec{Work: new(10.0), Estimate: new(1.0), Resources: map[string]float64{"gpu": 1}}), "resource-area", 20},
		{"a job that runs on while the nodes are closed, 4 jobs beside it before and 8 behind", "unfinished", 1, closed(12, 22), append(many(12, hard(gpus(1), 32.1)), model.JobSpec{
			ID: "on", Work: new(20.0), Running: &model.RunningSpec{Cluster: "c", Processors: model.Processors(0), Holds: map[string]map[string]float64{"n[0]": {"gpu": 4}},
				Devices: model.DevicesHeld{"gpu": {"n[0]": model.NewProcessorSet(model.Range{Last: 3})}}}}), "resource-knapsack", 0},
		{"a job that runs until 10 and 8 that have to be done by 15", "unfinished", 1, nil, append(many(8, hard(gpus(1), 15)), model.JobSpec{
			ID: "on", Work: new(10.0), Running: &model.RunningSpec{Cluster: "c", Processors: model.Processors(0), Holds: map[string]map[string]float64{"n[0]": {"gpu": 4}},
				Devices: model.DevicesHeld{"gpu": {"n[0]": model.NewProcessorSet(model.Range{Last: 3})}}}}), "resource-knapsack", 4},
		{"16 jobs on 8 GPUs end, on the average, as the area does", "mean_response", 1, nil, many(16, gpus(1)), "squashed-area", 12.8125},
		{"16 jobs, due at 12", "over_deadline", 1, nil, many(16, model.JobSpec{Work: new(10.0), Resources: map[string]float64{"gpu": 1}, Deadline: new(12.0)}), "squashed-area", 29.75},
		{"10 jobs with a hard deadline that leaves no second round", "unfinished", 1, nil, many(10, hard(gpus(1), 15)), "resource-knapsack", 2},
		{"the same, as deadlines missed", "missed", 1, nil, many(10, hard(gpus(1), 15)), "resource-knapsack", 2},
		{"5 shares of 0.7 beside 5 whole GPUs: parts of jobs", "finished", 1, nil, append(many(5, hard(gpus(1), 15)), func() (list []model.JobSpec) {
			for k, job := range many(6, hard(gpus(0.7), 15)) {
				job.ID = fmt.Sprint("s", k)
				list = append(list, job)
			}
			return list
		}()...), "resource-knapsack", 2},
		{"work of 10 each, and 2 of 10 jobs have no GPU", "work_done", 1, nil, many(10, hard(gpus(1), 15)), "resource-knapsack", 20},
		{"rounds of 10 until 25", "missed", 1, nil, many(24, hard(gpus(1), 25)), "resource-knapsack", 4},
	} {
		in := gpuCluster(t, c.objective, c.weight, c.change, c.jobs...)
		p := NewCertified(t.Context(), in)
		p.Improve(t.Context(), LittleWork)
		found := 0.0
		for k, m := range p.terms[0].methods { // before it is rounded up
			if m.Name == c.method {
				found, _ = p.terms[0].gates[k].Bound().Value()
			}
		}
		if !(math.Abs(found-c.want) <= 1e-7*c.want) {
			t.Errorf("%s: %s proves %v of %s, want %v", c.name, c.method, found, c.objective, c.want)
		}
		for _, certificate := range p.Certificates() {
			if r := proof.Check(t.Context(), in, certificate); len(certificate.Choices) == 0 && certificate.Parts[0].By != nil && r.Verdict != proof.Verified {
				t.Errorf("%s: %s: %v", c.name, certificate.Parts[0].Method, r)
			}
		}
	}
}

// A job that fits before a closed time but for rounding does not wait for its end.
func TestAJobThatJustFitsDoesNotWait(t *testing.T) {
	for _, works := range [][]float64{{0.1, 0.2}, {0.1, 0.1, 0.1}, {0.7, 0.1, 0.1}} {
		var jobs []model.JobSpec
		end := 0.0
		for k, work := range works {
			jobs = append(jobs, model.JobSpec{ID: fmt.Sprint("j", k), Processors: model.Rigid(32), Block: 8, Work: new(work)})
			end += work
		}
		for _, from := range []float64{end, math.Nextafter(end, 0), end * (1 - 5e-10)} {
			in := gpuCluster(t, "makespan", 1, func(spec *model.InstanceSpec) {
				for g := range spec.Clusters[0].Machines {
					spec.Clusters[0].Machines[g].Closed = []model.ClosedSpec{{From: from, To: new(9.0)}}
				}
			}, jobs...)
			if value, _ := Lower(t.Context(), in).Value(); value > end*(1+1e-9) {
				t.Errorf("jobs of %v, closed from %v on: %v", works, from, value)
			}
		}
	}
}

// Without anything that jobs ask of machines the methods prove nothing: the others say as much.
func TestPricesOfMachinesStandAside(t *testing.T) {
	in, err := model.NewBuilder("plain").Cluster(machine("c", 2, 1)).Job(rigid("a", 1, 3), rigid("b", 1, 4)).Build()
	if err != nil {
		t.Fatal(err)
	}
	for metric := range map[string]bool{"makespan": true, "mean_response": true, "missed": true, "work_done": true} {
		target, err := in.WithObjective(map[string]float64{metric: 1})
		if err != nil {
			t.Fatal(err)
		}
		p := New(t.Context(), target)
		p.Improve(t.Context(), LittleWork)
		for _, part := range p.Parts() {
			if part.Method == "resource-area" || part.Method == "squashed-area" || part.Method == "resource-knapsack" {
				t.Errorf("%s proves %v of %s", part.Method, part.Value, metric)
			}
		}
	}
}
