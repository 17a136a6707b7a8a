package process

import "github.com/allot-opt/allot/model"

// OnlineFormat names the format of the lines that an [OnlineProgram] reads and writes.
const OnlineFormat = "allot-online/1"

// onlineHeader is the first line that the program reads.
type onlineHeader struct {
	Format      string              `json:"format"`
	Version     string              `json:"version"` // of allot
	Seed        uint64              `json:"seed"`
	Kill        bool                `json:"kill"`       // jobs are ended at their estimates
	Processors  map[string]int      `json:"processors"` // by cluster
	Clusters    []model.ClusterSpec `json:"clusters"`
	Licences    map[string]int      `json:"licences,omitempty"`
	UserClasses map[string]float64  `json:"user_classes,omitempty"`
	Overheads   *model.Overheads    `json:"overheads,omitempty"`
}

// onlineEvent is a line that the program answers.
type onlineEvent struct {
	Now      float64        `json:"now"`
	Arrived  []arrivedJob   `json:"arrived"` // jobs that may start from now on, in queue order
	Ended    []string       `json:"ended"`   // ids
	Free     map[string]int `json:"free"`    // processors by cluster
	Licences []freeLicence  `json:"licences,omitempty"`
	Machines []freeMachine  `json:"machines,omitempty"` // those with free processors, where the machines of some cluster count one by one
}

// arrivedJob is a job as an on-line policy sees it.
type arrivedJob struct {
	*model.JobSpec
	Number  int64   `json:"number"`  // place in queue order
	Arrival float64 `json:"arrival"` // takes the place of that of the spec, which is left out where it is 0
	// Estimates are the execution times by the estimate, by cluster on which the job can run: on its rigid number of processors, when nothing else runs.
	Estimates map[string]float64 `json:"estimates"`
}

// freeLicence is a limited pool of licences.
type freeLicence struct {
	Licence string `json:"licence"`
	Cluster string `json:"cluster,omitempty"` // absent: the pool of the grid
	Free    int    `json:"free"`
}

// freeMachine is a machine, or a group of machines that nothing tells apart.
type freeMachine struct {
	Cluster string   `json:"cluster"`
	First   int      `json:"first"` // number of its first processor
	Free    int      `json:"free"`
	Memory  *float64 `json:"memory,omitempty"` // free memory; absent: it limits nothing
}

// onlineEnd is the last line that the program reads.
type onlineEnd struct {
	End bool    `json:"end"`
	Now float64 `json:"now"`
}

// onlineAnswer is what the program writes after each event.
type onlineAnswer struct {
	Start    []onlineStart  `json:"start,omitempty"`
	Reject   []onlineReject `json:"reject,omitempty"`
	CallMeAt *float64       `json:"call_me_at,omitempty" check:"finite"`
}

// onlineStart starts a job.
type onlineStart struct {
	Job        string             `json:"job" check:"id"`
	Cluster    string             `json:"cluster" check:"id"`
	Processors int                `json:"processors,omitempty" check:"count"`
	On         model.ProcessorSet `json:"on,omitempty" check:"set"` // the very processors
}

// onlineReject takes a job out of the queue for good.
type onlineReject struct {
	Job    string `json:"job" check:"id"`
	Reason string `json:"reason,omitempty" check:"text"`
}
