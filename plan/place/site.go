package place

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/allot-opt/allot/model"
)

// Machine is one machine of a [Site].
type Machine struct {
	*model.Machine     // its group
	Cluster        int // index into the instance's clusters
	Number         int // of the machine in the cluster, counted from 0
	First          int // number of its first processor in the cluster
	devices        int // where its devices begin in Room.Devices
	group          int // number of its group over all clusters
}

// Site is the machines of all clusters of an instance, one by one, and a rule that chooses among them. It keeps scores, so it serves one goroutine;
// [Site.Fork] makes one for another.
type Site struct {
	*layout
	scorer  Scorer
	drawing Drawing // the scorer, where it draws anew for each choice
	first   bool    // every machine has the same score
	kinds   []*Kind // by number
	byNeed  map[need]*Kind
	byJob   []*Kind
	clock   int64 // the last stamp that was given
	typical workload
	kept    int         // entries of all kinds
	idle    []State     // by machine, see Idle
	found   []candidate // scratch
	most    []int32     // scratch
}

// layout is what sites of one instance share.
type layout struct {
	Machines []Machine
	in       *model.Instance
	begin    []int     // by cluster, its first machine; then the number of all
	order    [][]int32 // by cluster, its machines: the fastest first, of equal speed in the order of their numbers
	groups   []group
	devices  int
	sorts    []int // by sort, the number of devices that a block needs, 0: a share; nil: the rule does not ask for counts
}

// group is a group of equal machines.
type group struct {
	machine *model.Machine
	offsets []int32 // by resource: its first device among those of a machine; −1: it does not come in devices
	devices int     // of one machine
}

// NewSite lists the machines of an instance, for a rule and a seed of what the rule draws at random.
//
// Complexity: O(machines · resources).
func NewSite(in *model.Instance, rule Rule, seed uint64) *Site {
	l := &layout{in: in}
	for c := range in.Clusters() {
		l.begin = append(l.begin, len(l.Machines))
		cluster, number := &in.Clusters()[c], 0
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			of := group{machine: m, offsets: make([]int32, len(in.Resources()))}
			for r, resource := range in.Resources() {
				if of.offsets[r] = -1; resource.Devices {
					of.offsets[r] = int32(of.devices)
					of.devices += int(m.Amount(r) / model.WholeAmount)
				}
			}
			for k := range m.Count {
				l.Machines = append(l.Machines, Machine{Machine: m, Cluster: c, Number: number, First: m.First + k*m.Units, devices: l.devices, group: len(l.groups)})
				l.devices += of.devices
				number++
			}
			l.groups = append(l.groups, of)
		}
	}
	l.begin = append(l.begin, len(l.Machines))
	for c := range in.Clusters() {
		order := make([]int32, 0, l.begin[c+1]-l.begin[c])
		for m := l.begin[c]; m < l.begin[c+1]; m++ {
			order = append(order, int32(m))
		}
		slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(l.Machines[b].Speed, l.Machines[a].Speed) })
		l.order = append(l.order, order)
	}
	if rule.Counts {
		l.sorts = sorts(in)
	}
	return (&Site{layout: l}).Fork(rule, seed)
}

// Fork is a site of the same machines, for another goroutine.
func (s *Site) Fork(rule Rule, seed uint64) *Site {
	f := &Site{layout: s.layout, byNeed: map[need]*Kind{}, byJob: make([]*Kind, len(s.in.Jobs())), clock: idle, first: rule.New == nil}
	if !f.first {
		f.scorer = rule.New(f, seed)
		f.drawing, _ = f.scorer.(Drawing)
	}
	return f
}

// Instance is the instance whose machines these are.
func (s *Site) Instance() *model.Instance { return s.in }

// Draws says that the rule draws at random for each choice.
func (s *Site) Draws() bool { return s.drawing != nil }

// Scores says that the rule is another than the first.
func (s *Site) Scores() bool { return !s.first }

// Of is the range of the machines of a cluster, [first, last).
func (s *Site) Of(cluster int) (first, last int) { return s.begin[cluster], s.begin[cluster+1] }

// At is the machine that holds the processor of the cluster.
func (s *Site) At(cluster, processor int) int {
	number, _ := s.in.Clusters()[cluster].MachineOf(processor)
	return s.begin[cluster] + number
}

// Devices are the places, in what is free of the machine's devices, of those of the resource: [first, last).
func (m *Machine) Devices(s *Site, resource int) (first, last int) {
	first = int(s.groups[m.group].offsets[resource])
	if first < 0 {
		return 0, 0
	}
	return first, first + int(m.Amount(resource)/model.WholeAmount)
}

// Kind is what jobs need of the machines that they run on; jobs that need the same share it.
type Kind struct {
	Number int     // counts the kinds of a site from 0
	Size   int     // processors of a block; on clusters that allocate whole machines a block counts as one processor, see Site.size
	Memory float64 // of a processor
	Node   *model.NodeNeeds
	Share  int // resource of which a block needs a share of one device, the first of these; −1: none
	// Sort tells blocks apart by what they need of devices: a share, one device, two devices and so on; −1: none, or the rule does not ask for counts.
	Sort int

	job   *model.Job // one of them
	whole bool       // it stays on one machine
	hosts []int32    // by group of the site: processors of an idle machine that it can hold; −1: not known yet
	seen  []entry    // by machine: what was found out when it was last looked at
}

// need is what tells kinds apart.
type need struct {
	node              *model.NodeNeeds
	memory, bandwidth float64
	licences          string
	span              bool
	instant           bool // the job may take no time, so that closed times may not concern it
}

// entry is what is known of a kind on a machine in a state.
type entry struct {
	stamp  int64 // of the state; 0: none
	score  float64
	blocks int32
	device int32
}

// Kind is the kind of the job.
func (s *Site) Kind(job int) *Kind {
	if k := s.byJob[job]; k != nil {
		return k
	}
	k := s.KindOf(&s.in.Jobs()[job])
	s.byJob[job] = k
	return k
}

// KindOf is the kind of a job that need not belong to the instance: one of the same system, such as that of a hold.
func (s *Site) KindOf(j *model.Job) *Kind {
	key := need{j.Node(), j.Memory, j.MinBandwidth, licenceKey(j), j.Span == model.SpanMachine, s.in.Features().Has(model.ClosedTimes) && j.MayTakeNoTime()}
	k := s.byNeed[key]
	if k == nil {
		n := j.Node()
		k = &Kind{Number: len(s.kinds), Size: n.Block, Memory: j.Memory, Node: n, Share: -1, Sort: slices.Index(s.sorts, devicesOf(s.in, n)), job: j, whole: key.span || n.MaxMachines == 1, hosts: make([]int32, len(s.groups))}
		for _, need := range n.Resources {
			if k.Share < 0 && s.in.Resources()[need.Resource].Devices && need.Amount < model.WholeAmount {
				k.Share = need.Resource
			}
		}
		for g := range k.hosts {
			k.hosts[g] = -1
		}
		s.kinds, s.byNeed[key] = append(s.kinds, k), k
	}
	return k
}

// devicesOf is the number of whole devices that a block needs; 0: it needs shares only; −1: it needs no devices.
func devicesOf(in *model.Instance, n *model.NodeNeeds) int {
	devices := -1
	for _, need := range n.Resources {
		if in.Resources()[need.Resource].Devices {
			devices = max(0, devices) + int(need.Amount/model.WholeAmount)
		}
	}
	return devices
}

// sorts are the numbers of devices that blocks need of the jobs of the instance and of those that hold something beside them, from the least.
func sorts(in *model.Instance) (sorts []int) {
	add := func(j *model.Job) {
		if n := devicesOf(in, j.Node()); n >= 0 && !slices.Contains(sorts, n) {
			sorts = append(sorts, n)
		}
	}
	for j := range in.Jobs() {
		add(&in.Jobs()[j])
	}
	for _, h := range in.Held() {
		add(h.Job)
	}
	slices.Sort(sorts)
	return sorts
}

// licenceKey is a text of the licences that a job needs. A machine may lack a licence, whatever the number of copies.
func licenceKey(j *model.Job) string {
	var key []byte
	for _, need := range j.Licences {
		key = strconv.AppendInt(append(key, ','), int64(need.Licence), 10)
	}
	return string(key)
}

// Hosts is the number of processors that the kind can hold at once on the machine when nothing else is there.
func (s *Site) Hosts(k *Kind, machine int) int {
	g := s.Machines[machine].group
	if k.hosts[g] < 0 {
		k.hosts[g] = int32(s.in.ProcessorsFor(k.job, s.groups[g].machine))
	}
	return int(k.hosts[g])
}

// size is the number of processors of a block of the kind on the machine.
func (s *Site) size(k *Kind, machine int) int {
	if s.in.Clusters()[s.Machines[machine].Cluster].WholeMachines {
		return 1
	}
	return k.Size
}

// Times returns how many times the amount fits into what is free of the capacity, but at most the number most. What is free may have been added up
// and is then a little off, unless it is whole.
func Times(free, capacity, amount float64, most int) int {
	if !(Whole(free) && Whole(amount)) {
		free += capacity * Rounding
	}
	if times := free / amount; times < float64(most) {
		return int(times)
	}
	return most
}

// Rounding is the share of a capacity by which a used amount may seem to exceed it: sums of memory carry rounding errors. Whole numbers have none.
const Rounding = 1e-12

// Whole says that a number is whole, and so small that sums of whole numbers up to it are exact.
func Whole(x float64) bool { return x == math.Trunc(x) && x < 1<<53 }
