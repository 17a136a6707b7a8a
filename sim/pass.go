package sim

// Asker is an observer that asks why one job waits. What it asks changes no decision.
type Asker interface {
	Watcher
	// Asked is the queued job about which it asks; nil: none now.
	Asked() *Job
	// Passed tells why the policy passes the job over, at the moment at which it does: what the platform says is free is what the policy found free. A policy that looks at the job
	// several times while it decides tells so each time; what it says last holds. A policy that says nothing of the job stands by what it said last.
	Passed(now float64, why Pass)
}

// Pass is why a policy passes a queued job over.
type Pass struct {
	Kind PassKind
	// For is the queued job that is in its way, under [PassBehind] and [PassKept]; nil: there is no single one.
	For *Job
	At  float64 // when that job is to start by the plan, under [PassKept], and under [PassTurn] the job itself
	// Limit is the setting under [PassLimit] that ended the look before the job came, for people.
	Limit string
	// Clusters are those on which the policy looks for room; nil: all on which the job can run.
	Clusters []int
	// Rigid says that the job gets its rigid maximum of a cluster, see [Platform.Rigid]; else the least that it may hold counts.
	Rigid bool
	// Needed is the number of processors that a job waits for which may spread over the clusters; 0: it waits for processors of one cluster. Usable is the number of free ones that it could hold.
	Needed, Usable int
	// Within says whether the policy looks for room on a machine; nil: on all.
	Within func(machine int) bool
}

// PassKind is the kind of a [Pass].
type PassKind int

// The kinds of a [Pass].
const (
	PassRoom   PassKind = iota + 1 // too little of what the job needs is free
	PassBehind                     // a job ahead of it waits, and the policy looks no further, or keeps its machines
	PassKept                       // what it needs is free, but the job would be in the way of one that has a reservation
	PassLimit                      // a setting limits how many jobs the policy looks at, and jobs ahead of this one used it up
	PassLate                       // what it needs is free, but there the job would end after its hard deadline
	PassPower                      // what it needs is free, but for the power that a cap leaves
	PassTurn                       // the policy has a time for it that has not come
)

// Asked is the queued job about which the observer asks why it waits; nil: none.
func (e *Engine) Asked() *Job {
	if e.asker == nil {
		return nil
	}
	if j := e.asker.Asked(); j != nil && j.state == queued {
		return j
	}
	return nil
}

// Pass tells the observer why the policy passes over the job that it asks about.
func (e *Engine) Pass(why Pass) {
	if e.asker != nil {
		e.asker.Passed(e.now, why)
	}
}
