package workload

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

var _ = Register(Info{
	Name:   "mts",
	Doc:    "single jobs with memory, files, bandwidth and hard deadlines for a grid of single machines",
	Source: "Y. Hao (2016), Enhanced resource scheduling in grid considering overload of different attributes, KSII Trans. Internet Inf. Syst. 10(3), §4.1, Tables 1–4",
	New:    func() Workload { return &MTS{Jobs: 2000, Resources: 120, Q: 0.5} },
})

// MTS is the workload of the MTS paper's experiments (Hao 2016, §4.1). Jobs (Table 2): work U[1, 11], memory U[1, 5], bandwidth U[1, 5], hard
// deadline arrival + U[1, 5]; a part Q of them, drawn one by one, has files of U[5, 15] to move. Resources (Table 3), clusters of one machine each,
// which is allocated as a whole: speed U[5, 15], memory U[1, 5], bandwidth U[5, 15]. Rate jobs arrive together at each time unit. Units: million
// instructions a PE, GB, 100 MB. The objective is the number of unfinished jobs. Table 1, the weights of ASJS by Q, is the default of asjs.
//
// Deviations from the paper: all numbers are drawn continuously, which it leaves open. Files are input, none output: only the sum matters. It has
// 100,000 jobs, which --jobs gives.
type MTS struct {
	Jobs      int     `range:"[1, 10000000]" doc:"number of jobs (the paper: 100000)"`
	Resources int     `range:"[1, 1000000]" doc:"number of machines"`
	Rate      float64 `range:"[0, 1e12]" doc:"jobs that arrive per time unit (the paper: 20 to 140); 0: all jobs at 0"`
	Q         float64 `range:"[0, 1]" doc:"share of the jobs with files (the paper: 0.3, 0.5, 0.7)"`
}

// Generate implements [Workload].
func (w *MTS) Generate(seed uint64) (*model.Instance, error) {
	if err := params.Check(w); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d7473)) // "mts"
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	b := model.NewBuilder(fmt.Sprintf("mts-n%d-s%d", w.Jobs, seed)).Minimise("unfinished", 1)
	b.Spec().Units = &model.Units{Work: "MI", Data: "100 MB", Memory: "GB"}
	for r := range w.Resources {
		b.Cluster(model.ClusterSpec{ID: "r" + strconv.Itoa(r+1), Allocation: "machine", Machines: []model.MachineSpec{{
			ID: "m", Speed: uniform(5, 15), Memory: new(uniform(1, 5)), Bandwidth: uniform(5, 15)}}})
	}
	for k := range w.Jobs {
		arrival := 0.0
		if w.Rate > 0 {
			arrival = math.Floor(float64(k) / w.Rate)
		}
		job := model.JobSpec{ID: "j" + strconv.Itoa(k+1), Arrival: arrival, Work: new(uniform(1, 11)), Memory: uniform(1, 5), MinBandwidth: uniform(1, 5),
			Deadline: new(arrival + uniform(1, 5)), DeadlineHard: true}
		if files := uniform(5, 15); rng.Float64() < w.Q {
			job.Input = files
		}
		b.Job(job)
	}
	return b.Build()
}
