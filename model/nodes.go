package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Amount is an amount of a resource in whole millionths, so that sums are exact.
type Amount int64

// WholeAmount is the amount 1.
const WholeAmount Amount = 1e6

// mostAmount is the largest amount that a file may state.
const mostAmount = 1e12

// amountOf is the amount that a number states, and whether it states one: 0 or a number from 1e-6 to 1e12 with at most six decimals.
func amountOf(x float64) (Amount, bool) {
	if !(x >= 0 && x <= mostAmount) {
		return 0, false
	}
	millionths := math.Round(x * 1e6)
	return Amount(millionths), millionths/1e6 == x
}

// amountFrom is the amount of a number that has been checked.
func amountFrom(x float64) Amount {
	amount, _ := amountOf(x)
	return amount
}

// Float is the amount as a number.
func (a Amount) Float() float64 { return float64(a) / 1e6 }

// plus is the sum of two amounts of at least 0, or the largest amount where the sum is larger.
func (a Amount) plus(b Amount) Amount {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times is n times the amount, or the largest amount where the product is larger.
func (a Amount) times(n int) Amount {
	if n > 0 && a > math.MaxInt64/Amount(n) {
		return math.MaxInt64
	}
	return a * Amount(n)
}

// Resource is something of which each machine has an amount that the jobs on it share.
type Resource struct {
	ID      string
	Devices bool // it comes in whole devices
}

// ResourceNeed is the amount of a resource that each block of a job holds on its machine.
type ResourceNeed struct {
	Resource int // index into Instance.Resources
	Amount   Amount
}

// Closure is a time in which a machine is closed. The jobs of the reservation For run there meanwhile, and no others; with an empty name none does.
type Closure struct {
	From, To float64 // [From, To); +Inf: for ever
	For      string
}

// NodeNeeds is what a job asks of the machines that it runs on. Jobs that ask for the same share it.
type NodeNeeds struct {
	Block       int            // processors of a block
	Resources   []ResourceNeed // of each block, by resource, without those of amount 0
	MinMachines int            // distinct machines; 0: any number
	MaxMachines int
	PerMachine  int        // blocks on each machine; 0: any number
	Features    [][]string // of each list every machine has at least one
	Exclusive   bool
	Reservation string // empty: none
	Running     *Running
}

// Running is where a job runs already at time 0.
type Running struct {
	Cluster    int
	Processors ProcessorSet
	Holds      []RunningHold // by machine and resource
	Devices    DevicesHeld
	Elapsed    float64 // how long it has run
}

// RunningHold is what a running job holds on a machine.
type RunningHold struct {
	Machine  int // number of the machine in the cluster
	Resource int
	Amount   Amount
	Devices  ProcessorSet // that it holds there, each an equal part of the amount; nil where the resource has none
}

// HoldsOn says whether the job holds something of the resource on the machine of its cluster. A nil job holds nothing.
func (r *Running) HoldsOn(machine, resource int) bool {
	return r != nil && slices.ContainsFunc(r.Holds, func(h RunningHold) bool { return h.Machine == machine && h.Resource == resource && h.Amount > 0 })
}

// anyNeeds is what a job asks for that says nothing of machines.
var anyNeeds = NodeNeeds{Block: 1}

// Node is what the job asks of the machines that it runs on; it must not be modified.
func (j *Job) Node() *NodeNeeds {
	if j.node == nil {
		return &anyNeeds
	}
	return j.node
}

// Need is the amount of the resource that each block of the job holds.
func (n *NodeNeeds) Need(resource int) Amount {
	for _, need := range n.Resources {
		if need.Resource == resource {
			return need.Amount
		}
	}
	return 0
}

// Resources are the resources of machines, sorted by id.
func (in *Instance) Resources() []Resource { return in.resources }

// Amount is the amount of the resource that one machine of the group has.
func (m *Machine) Amount(resource int) Amount {
	if m.amounts == nil {
		return 0
	}
	return m.amounts[resource]
}

// Features are what a job may ask for by name.
func (m *Machine) Features() []string { return m.features }

// Closed are the times in which the machine is closed, as the file lists them.
func (m *Machine) Closed() []Closure { return m.closed }

// Offers says whether the machine has at least one feature of each list.
func (m *Machine) Offers(features [][]string) bool { return m.lacks(features) < 0 }

// lacks is the first of the lists of which the machine has no feature; −1: none.
func (m *Machine) lacks(features [][]string) int {
	for k, list := range features {
		if !intersects(list, m.features) {
			return k
		}
	}
	return -1
}

// intersects says whether the lists have a name in common.
func intersects(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// OpenTo says whether a job of the reservation (empty: of none) may run on the machine from start until end. Of a job that takes no time it says
// whether the job may start.
func (m *Machine) OpenTo(reservation string, start, end float64) bool {
	for _, c := range m.closed {
		if (reservation == "" || c.For != reservation) && start < end && start < c.To && c.From < end {
			return false
		}
	}
	return reservation == "" || m.reserved(reservation, start, end)
}

// reserved says whether the machine is closed for the reservation all the time from start until end.
func (m *Machine) reserved(reservation string, start, end float64) bool {
	for at := start; ; {
		next := at
		for _, c := range m.closed {
			if c.For == reservation && c.From <= at && at < c.To {
				next = max(next, c.To)
			}
		}
		switch {
		case next == at:
			return false
		case next >= end:
			return true
		}
		at = next
	}
}

// everOpenTo says whether there is an instant at which a job of the reservation may run on the machine; at which it may start if it takes no time.
func (m *Machine) everOpenTo(reservation string, noTime bool) bool {
	if noTime {
		return reservation == "" || slices.ContainsFunc(m.closed, func(c Closure) bool { return c.For == reservation })
	}
	openAt := func(instant float64) bool {
		reserved := reservation == ""
		for _, c := range m.closed {
			if c.From <= instant && instant < c.To {
				if reservation == "" || c.For != reservation {
					return false
				}
				reserved = true
			}
		}
		return reserved
	}
	if openAt(0) {
		return true
	}
	for _, c := range m.closed { // the first instants at which anything changes
		if openAt(c.From) || !math.IsInf(c.To, 1) && openAt(c.To) {
			return true
		}
	}
	return false
}

// MayTakeNoTime says whether closed times may not concern the job, because it takes no time, or none by its estimate.
func (j *Job) MayTakeNoTime() bool {
	return j.Work == 0 || j.Estimate == 0 || slices.Contains(j.runtimes, 0)
}

// processorsByNode is the number of processors of one idle machine of the group that a job with these needs can hold at once, of those that the rest of
// its needs leaves; and the obstacle that keeps it from holding all of them.
func (in *Instance) processorsByNode(j *Job, m *Machine, processors int, why obstacle) (int, obstacle) {
	n := j.node
	switch {
	case n.Running != nil: // where it runs is not asked
		return m.Units, noObstacle
	case !m.Offers(n.Features):
		return 0, missingFeature
	case !m.everOpenTo(n.Reservation, j.MayTakeNoTime()):
		return 0, neverOpen
	}
	size := n.Block
	if m.whole { // a whole machine counts as one processor, which is a block
		size = 1
	}
	blocks, _ := in.blocksByResources(n, m, processors/size)
	if blocks < processors/size {
		why = tooLittleResource
	}
	if n.PerMachine > 0 {
		if blocks < n.PerMachine {
			return 0, max(why, tooLittleResource)
		}
		blocks = n.PerMachine
	}
	return blocks * size, why
}

// blocksByResources is the number of blocks, up to the number most, that the resources of one idle machine of the group have room for, and the position of the
// need that allows no more; −1: all do.
func (in *Instance) blocksByResources(n *NodeNeeds, m *Machine, most int) (blocks, by int) {
	by = -1
	for k, need := range n.Resources {
		each := need.Amount
		if in.resources[need.Resource].Devices {
			each = max(each, WholeAmount) // shares of one job lie on different devices
		}
		if fit := m.Amount(need.Resource) / each; fit < Amount(most) {
			most, by = int(fit), k
		}
	}
	return most, by
}

// usableByNode is the number of processors of the cluster, when nothing else runs there, that a job with needs of machines can hold at once: on as many
// machines as it must have, or, if it is one of several clusters, with no regard to the least number. It is a number of at least enough if that is smaller.
func (in *Instance) usableByNode(j *Job, c *Cluster, several bool, enough int) int {
	n := j.Node()
	limit := math.MaxInt
	switch {
	case n.Running != nil:
	case j.Span == SpanMachine:
		limit = 1
	case n.MaxMachines > 0:
		limit = n.MaxMachines
	}
	few := func(machines int) bool {
		if c.WholeMachines {
			machines = min(machines, 1) // that is all it holds
		}
		return n.Running == nil && !several && machines < n.MinMachines
	}
	type group struct{ units, count int }
	var groups []group
	all, machines := 0, 0
	for g := range c.Machines {
		m := &c.Machines[g]
		if units, _ := in.processorsFor(j, m); units > 0 {
			taken := min(m.Count, limit-machines)
			if all, machines = all+taken*units, machines+taken; all >= enough && !few(machines) {
				return all
			}
			groups = append(groups, group{units, m.Count})
		}
	}
	slices.SortFunc(groups, func(a, b group) int { return b.units - a.units })
	all, machines = 0, 0
	for _, g := range groups {
		taken := min(g.count, limit-machines)
		all, machines = all+taken*g.units, machines+taken
	}
	if few(machines) {
		return 0
	}
	return all
}

// whyNotNode says, for people, what keeps a job with these needs from machines of the group.
func (in *Instance) whyNotNode(n *NodeNeeds, m *Machine, why obstacle) string {
	switch why {
	case missingFeature:
		return fmt.Sprintf("needs feature %s, too few machines have it", shown(strings.Join(n.Features[m.lacks(n.Features)], " or ")))
	case neverOpen:
		if n.Reservation == "" {
			return "needs machines that are open at some time, too few are"
		}
		return fmt.Sprintf("needs machines of reservation %s, too few are", shown(n.Reservation))
	}
	for _, need := range n.Resources {
		id := shown(in.resources[need.Resource].ID)
		if m.Amount(need.Resource) < need.Amount {
			return fmt.Sprintf("needs %v of %s on one machine, too few machines have it", need.Amount.Float(), id)
		}
	}
	if n.PerMachine > 0 {
		return fmt.Sprintf("needs room for %d blocks on each machine, too few machines have it", n.PerMachine)
	}
	_, scarce := in.blocksByResources(n, m, m.Units)
	need := n.Resources[scarce]
	return fmt.Sprintf("needs %v of %s for each block, too few machines have it", need.Amount.Float(), shown(in.resources[need.Resource].ID))
}
