package workload

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/allot-opt/allot/data"
	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
)

var _ = Register(Info{
	Name:   "mts-log",
	Doc:    "the jobs of a real log, with random memory, bandwidth and hard deadlines, for a grid of single machines",
	Source: "Y. Hao (2016), Enhanced resource scheduling in grid considering overload of different attributes, KSII Trans. Internet Inf. Syst. 10(3), §4.4, Table 5; log KTH-SP2 of the Parallel Workloads Archive",
	New:    func() Workload { return &MTSLog{Jobs: 28489, Resources: 14} },
})

// MTSLog is the workload of the MTS paper's experiment on a real log (Hao 2016, §4.4): submissions and run times are the log's; memory U[1, 5] and
// bandwidth U[1, 5] of the jobs, and memory U[1, 5] and bandwidth U[5, 15] of the resources are drawn, as in §4.1; jobs have no files unless Q gives a part of them files of U[5, 15]; the hard
// deadline is submission + U[1, 2] · run time. Resources are clusters of one machine each, which is allocated as a whole, with speed U[5, 15]/10. The
// objective is the number of unfinished jobs.
//
// Deviations from the paper: the log is KTH-SP2, with 28,489 jobs, in place of MetaCentrum's, which had 103,656 on 14 clusters. Of its processors the paper
// says only that they differ. The processors of a job in the log are left out, because a resource runs one job at a time. Jobs without a run time
// are left out.
type MTSLog struct {
	Jobs      int     `range:"[1, 28489]" doc:"number of jobs, from the beginning of the log"`
	Resources int     `range:"[1, 1000000]" doc:"number of machines (the paper: 14 clusters)"`
	Q         float64 `range:"[0, 1]" doc:"share of the jobs with files, U[5, 15]; the paper gives the log's jobs none that it states"`
}

// Generate implements [Workload].
func (w *MTSLog) Generate(seed uint64) (*model.Instance, error) {
	if err := params.Check(w); err != nil {
		return nil, err
	}
	text, err := gzip.NewReader(bytes.NewReader(data.KTH))
	if err != nil {
		return nil, err
	}
	log, _, err := swf.NewReader().Read(text, "KTH-SP2")
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6c6f67)) // "log"
	uniform := func(low, high float64) float64 { return low + (high-low)*rng.Float64() }
	files := rand.New(rand.NewPCG(seed, 0x66696c6573)) // "files": they leave the other numbers as they are
	b := model.NewBuilder(fmt.Sprintf("mts-log-n%d-s%d", w.Jobs, seed)).Minimise("unfinished", 1)
	b.Spec().Units = &model.Units{Work: "s at speed 1", Data: "100 MB", Memory: "GB"}
	for r := range w.Resources {
		b.Cluster(model.ClusterSpec{ID: "r" + strconv.Itoa(r+1), Allocation: "machine", Machines: []model.MachineSpec{{
			ID: "m", Speed: uniform(0.5, 1.5), Memory: new(uniform(1, 5)), Bandwidth: uniform(5, 15)}}})
	}
	for k := range log.Jobs()[:min(w.Jobs, len(log.Jobs()))] {
		j := &log.Jobs()[k]
		if !(j.Work > 0) {
			continue
		}
		job := model.JobSpec{ID: j.ID, Arrival: j.Arrival, Work: new(j.Work), Memory: uniform(1, 5), MinBandwidth: uniform(1, 5),
			Deadline: new(j.Arrival + j.Work*uniform(1, 2)), DeadlineHard: true}
		if size, share := 5+10*files.Float64(), files.Float64(); share < w.Q {
			job.Input = size
		}
		b.Job(job)
	}
	return b.Build()
}
