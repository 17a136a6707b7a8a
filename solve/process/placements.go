package process

import (
	"bytes"
	"fmt"

	"github.com/allot-opt/allot/model"
)

// placements is what a function may answer in place of a solution: where and from when jobs run. They end by the time rule of the instance, and what it does not place
// is left out.
type placements struct {
	Placements []placement `json:"placements" doc:"where and when jobs run"`
}

// placement is where and from when a job runs.
type placement struct {
	Job        string             `json:"job" check:"id" doc:"id of the job"`
	Cluster    string             `json:"cluster" check:"id" doc:"cluster it runs on"`
	Processors model.ProcessorSet `json:"processors" check:"set" doc:"processors of that cluster, such as 0-3,7"`
	Start      float64            `json:"start" check:"time" doc:"start time"`
	End        *float64           `json:"end,omitempty" check:"time" doc:"end time; absent: by the time rule of the instance"`
}

// placementsIn reads an answer that states placements, or returns false for another one.
func placementsIn(in *model.Instance, text []byte) (sol *model.Solution, is bool, err error) {
	if !bytes.HasPrefix(bytes.TrimLeft(text[1:], " \t\r\n"), []byte(`"placements"`)) {
		return nil, false, nil
	}
	var answer placements
	if err := model.ReadJSON(bytes.NewReader(text), "", &answer); err != nil {
		return nil, true, firstFault(err)
	}
	sol = &model.Solution{Schema: model.SolutionSchema}
	placed := make([]bool, len(in.Jobs()))
	for k, p := range answer.Placements {
		job, ok := in.JobIndex(p.Job)
		if !ok {
			return nil, true, fmt.Errorf("placements[%d].job: expected the id of a job, found %q", k, p.Job)
		}
		cluster, ok := in.ClusterIndex(p.Cluster)
		if !ok {
			return nil, true, fmt.Errorf("placements[%d].cluster: expected the id of a cluster, found %q", k, p.Cluster)
		}
		if n := len(p.Processors); n == 0 || p.Processors[n-1].Last >= in.Clusters()[cluster].Processors {
			return nil, true, fmt.Errorf("placements[%d].processors: expected processors of cluster %s, which has %d, found %q", k, p.Cluster, in.Clusters()[cluster].Processors, p.Processors)
		}
		placed[job] = true
		if p.End == nil {
			if why := in.CannotRun(job, cluster); why != "" {
				return nil, true, fmt.Errorf("placements[%d]: job %q cannot run on cluster %s: %s", k, p.Job, p.Cluster, why)
			}
			p.End = new(model.End(p.Start, in.Duration(job, cluster, p.Processors)))
		}
		sol.Jobs = append(sol.Jobs, model.Placement{Job: p.Job, Cluster: p.Cluster, Processors: p.Processors, Start: p.Start, End: *p.End})
	}
	for k, there := range placed {
		if !there {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[k].ID, Reason: "the function does not place it"})
		}
	}
	return sol, true, nil
}
