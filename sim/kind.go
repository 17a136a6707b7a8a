package sim

import (
	"math"
	"strconv"

	"github.com/allot-opt/allot/model"
)

// Kind holds the properties that decide where a rigid job fits, and which of two jobs takes longer: see [Platform.KindOf].
type Kind struct {
	least, most, tasks               int
	span                             model.Span
	memory, bandwidth, data, message float64
	stated, times, hard              bool
	node                             *model.NodeNeeds // jobs with the same needs share one pointer
	power                            float64          // of a processor, where a cluster has a power cap and the job states it
	powered                          bool             // it does
	rest                             string           // licences, and run times by cluster
}

// KindOf is the kind of a rigid job and its size. Jobs of one kind fit a room of the given clusters on the same processors, but for hard deadlines, see
// [Platform.FitsLate]: no job that has one is of a kind with a job that has none where every machine is listed. Of two
// such jobs the one of the larger size has no shorter estimate, wherever both run.
func (p *Platform) KindOf(j *Job, clusters []int) (Kind, float64) {
	r := j.Request
	if p.alike && p.power == nil {
		return Kind{least: int(j.Processors), most: int(j.Processors)}, j.expected
	}
	job := &r.in.Jobs()[r.index]
	k := Kind{
		least: r.Min, most: r.Max, tasks: r.Tasks, span: r.Span, memory: r.Memory, bandwidth: r.MinBandwidth,
		data: job.Input + job.Output, message: job.Message, stated: r.Stated, times: job.StatesRuntimes(), node: job.Node(),
	}
	var rest []byte
	for _, need := range r.Licences {
		rest = strconv.AppendInt(append(rest, 'l'), int64(need.Licence), 10)
		rest = strconv.AppendInt(append(rest, ':'), int64(need.Copies), 10)
	}
	size := job.Work
	if r.Stated {
		size = j.Estimate * job.ReferenceSpeed
	}
	if p.power != nil {
		k.power, k.powered = job.Power()
	}
	k.hard = p.nodes != nil && r.DeadlineHard // the machines that the job gets depend on the deadline
	for _, c := range clusters {
		if !k.times {
			break
		}
		_, most := r.in.Width(r.index, c)
		takes := r.in.Busy(r.index, c, 1, (r.Tasks+most-1)/most)
		switch {
		case math.IsNaN(takes): // it cannot run there
			rest = append(rest, 'x')
		case r.Stated:
			rest = append(rest, 'r')
		case len(clusters) == 1:
			size = takes
		default:
			rest = strconv.AppendUint(append(rest, 't'), math.Float64bits(takes), 36)
			size = 0 // all times are part of the kind
		}
	}
	k.rest = string(rest)
	return k, size
}

// OnOneMachine says that a job of the kind must have all its processors on one machine.
func (k *Kind) OnOneMachine() bool { return k.span == model.SpanMachine }

// ReferenceEstimate is the execution time of a rigid job on processors of its reference speed, as far as a policy knows it: by the
// stated estimate, else by the work. It counts neither transfers nor overheads. It is NaN where the job states run times by cluster
// and no estimate.
func (p *Platform) ReferenceEstimate(j *Job) float64 {
	r := j.Request
	job := &r.in.Jobs()[r.index]
	each := float64((r.Tasks + r.Min - 1) / r.Min)
	switch {
	case r.Stated:
		return each * j.Estimate
	case job.StatesRuntimes():
		return math.NaN()
	}
	return each * (job.Work / job.ReferenceSpeed)
}

// UserPriority is the priority of the class of the job's user; 0 without a class.
func (*Platform) UserPriority(j *Job) float64 {
	if j.Request.UserClass < 0 {
		return 0
	}
	return j.Request.in.UserClasses()[j.Request.UserClass].Priority
}

// PoolOf is the pool from which a job on the cluster takes the licence; false: the licence is not limited there.
func (p *Platform) PoolOf(cluster, licence int) (Pool, bool) {
	at := p.poolOf[cluster][licence]
	if at < 0 {
		return Pool{}, false
	}
	return p.Pools[at], true
}
