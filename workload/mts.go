package workload

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/allot-opt/allot/model"
)

var _ = Register(Info{
	Name:   "mts",
	Doc:    "single jobs with memory, files, bandwidth and hard deadlines for a grid of single machines",
	Source: "Y. Hao (2016), Enhanced resource scheduling in grid considering overload of different attributes, KSII Trans. Internet Inf. Syst. 10(3), §4.1, Tables 1–4",
	New:    func() Workload { return &MTS{} },
})

// MTS is the workload of the MTS paper's experiments (Hao 2016, §4.1). Jobs (Table 2): work U[1, 11], memory U[1, 5], bandwidth U[1, 5], hard
// deadline arrival + U[1, 5]; a part Q of them, drawn one by one, has files of U[5, 15] to move. Resources (Table 3), clusters of one machine
// each that is given out as a whole: speed U[5, 15], memory U[1, 5], bandwidth U[5, 15]. Rate jobs arrive together at each time unit. Units: million
// instructions a PE, GB, 100 MB. The objective is the number of unfinished jobs. Table 1, the weights of ASJS by Q, is the default of asjs.
//
// Deviations from the paper: all numbers are drawn continuously, which it leaves open. Files are input, none output: only the sum matters. It has
// 100,000 jobs, which --jobs gives.
type MTS struct {
	Jobs      int     `default:"2000" doc:"number of jobs (the paper: 100000)"`
	Resources int     `default:"120" doc:"number of machines"`
	Rate      float64 `default:"0" doc:"jobs that arrive per time unit (the paper: 20 to 140); 0: all at 0"`
	Q         float64 `default:"0.5" doc:"share of the jobs with files (the paper: 0.3, 0.5, 0.7); 0 means the default, so give a small number for none"`
}

// Generate implements [Workload].
func (w *MTS) Generate(seed uint64) (*model.Instance, error) {
	jobs, resources, q := cmp.Or(w.Jobs, 2000), cmp.Or(w.Resources, 120), cmp.Or(w.Q, 0.5)
	switch {
	case jobs < 1 || jobs > 10_000_000:
		return nil, fmt.Errorf("jobs: expected 1 to 10000000, found %d", jobs)
	case resources < 1 || resources > 1_000_000:
		return nil, fmt.Errorf("resources: expected 1 to 1000000, found %d", resources)
	case !(w.Rate >= 0) || w.Rate > 1e12:
		return nil, fmt.Errorf("rate: expected a number from 0 to 1e12, found %v", w.Rate)
	case !(q >= 0 && q <= 1):
		return nil, fmt.Errorf("q: expected a number from 0 to 1, found %v", q)
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d7473)) // "mts"
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	b := model.NewBuilder(fmt.Sprintf("mts-n%d-s%d", jobs, seed)).Minimise("unfinished", 1)
	b.Spec().Units = &model.Units{Work: "MI", Data: "100 MB", Memory: "GB"}
	for r := range resources {
		b.Cluster(model.ClusterSpec{ID: "r" + strconv.Itoa(r+1), Allocation: "machine", Machines: []model.MachineSpec{{
			ID: "m", Speed: uniform(5, 15), Memory: new(uniform(1, 5)), Bandwidth: uniform(5, 15)}}})
	}
	for k := range jobs {
		arrival := 0.0
		if w.Rate > 0 {
			arrival = math.Floor(float64(k) / w.Rate)
		}
		job := model.JobSpec{ID: "j" + strconv.Itoa(k+1), Arrival: arrival, Work: new(uniform(1, 11)), Memory: uniform(1, 5), MinBandwidth: uniform(1, 5),
			Deadline: new(arrival + uniform(1, 5)), DeadlineHard: true}
		if files := uniform(5, 15); rng.Float64() < q {
			job.Input = files
		}
		b.Job(job)
	}
	return b.Build()
}
