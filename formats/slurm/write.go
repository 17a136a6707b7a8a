package slurm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/internal/placements"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

var _ = formats.RegisterWriter(formats.Writer{Name: traceFormat, Doc: "what sacct -P prints of jobs that ran as in the schedule", Order: 5, Write: WriteAccounting})

// timeZero is the time at which an instance begins that states none.
var timeZero = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// latest is the latest time that is written, in seconds from time 0: some 280 years.
const latest = 9e9

// written are the columns of [WriteAccounting].
const written = "JobID|User|Account|Partition|QOS|Priority|State|Submit|Eligible|Start|End|TimelimitRaw|NCPUS|NNodes|ReqTRES|AllocTRES"

// WriteAccounting writes a schedule as sacct -P prints jobs that have ended. Dates are in the zone that the instance states, or else in UTC, those of an instance that does not say when its time 0
// is from 2026-01-05 on. Times are cut to whole seconds, time limits raised to whole minutes. The partition is the queue of the job, or else its cluster, the account its group, and quality of service and priority are those of its user class. A
// job that has no place was cancelled.
func WriteAccounting(w io.Writer, in *model.Instance, sol *model.Solution) error {
	scale, err := scaleOf(in)
	if err != nil {
		return err
	}
	placed, err := placements.ByJob("sacct", in, sol)
	if err != nil {
		return err
	}
	for k := range sol.Jobs {
		if end := sol.Jobs[k].End * scale.each; !(end <= latest) {
			return fmt.Errorf("sacct: expected times of at most %g s, found that job %q ends at %v", float64(latest), sol.Jobs[k].Job, end)
		}
	}
	for k := range in.Jobs() {
		if j := &in.Jobs()[k]; !(j.Arrival*scale.each <= latest) {
			return fmt.Errorf("sacct: expected times of at most %g s, found that job %q arrives at %v", float64(latest), j.ID, j.Arrival*scale.each)
		}
	}
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, written)
	for k := range in.Jobs() {
		if _, err := fmt.Fprintln(out, strings.Join(cellsOf(in, k, placed[k], scale), "|")); err != nil { // not only at the end: somebody may wait for it
			return err
		}
	}
	return out.Flush()
}

// cellsOf are the cells of a job.
func cellsOf(in *model.Instance, k int, p *model.Placement, s scale) []string {
	j := &in.Jobs()[k]
	cell := func(text string) string { return strings.NewReplacer("|", "_", "\n", " ", "\r", " ").Replace(text) }
	qos, priority := "normal", "0"
	if j.UserClass >= 0 {
		class := in.UserClasses()[j.UserClass]
		qos, priority = cell(class.ID), strconv.FormatFloat(math.Floor(class.Priority), 'f', -1, 64)
	}
	state, start, end, cluster, processors, nodes := "CANCELLED", "None", "None", "", j.Min, 0
	if p != nil {
		state, start, end, processors = "COMPLETED", s.moment(p.Start), s.moment(p.End), 0
		machines := map[string]bool{}
		p.Parts(j.Tasks, func(part model.Piece) {
			cluster = part.Cluster
			c, _ := in.ClusterIndex(part.Cluster)
			processors += part.Processors.Len()
			for _, run := range part.Processors {
				for p := run.First; p <= run.Last; p++ {
					machine, _ := in.Clusters()[c].MachineOf(p)
					machines[part.Cluster+"\x00"+strconv.Itoa(machine)] = true
				}
			}
		})
		nodes = len(machines)
	}
	partition := j.Queue()
	if partition == "" {
		partition = cluster
	}
	limit := "UNLIMITED"
	if !math.IsNaN(j.Estimate) {
		estimate := j.Estimate
		if requested, raised := in.Requested(k); raised {
			estimate = requested
		}
		limit = strconv.FormatFloat(math.Ceil(estimate*s.each/60), 'f', -1, 64)
	}
	submit := s.moment(j.Arrival)
	tres := tresText(in, j, processors, nodes, s.memory)
	return []string{
		cell(j.ID), cell(j.User()), cell(j.Group()), cell(partition), qos, priority, state, submit, submit, start, end, limit,
		strconv.Itoa(processors), strconv.Itoa(nodes), tres, tres,
	}
}

// tresText is what a job holds, such as cpu=8,mem=16000M,node=1,gres/gpu=4.
func tresText(in *model.Instance, j *model.Job, processors, nodes int, mb float64) string {
	text := "cpu=" + strconv.Itoa(processors)
	if j.Memory > 0 {
		text += ",mem=" + strconv.FormatFloat(math.Ceil(j.Memory*mb*float64(processors)), 'f', -1, 64) + "M"
	}
	text += ",node=" + strconv.Itoa(nodes)
	n := j.Node()
	for r, resource := range in.Resources() {
		if need := n.Need(r); need != 0 {
			text += ",gres/" + resource.ID + "=" + strconv.FormatFloat(math.Ceil(need.Float()*float64(processors/n.Block)), 'f', -1, 64)
		}
	}
	return text
}

// scale is how figures of an instance become those of Slurm.
type scale struct {
	each   float64   // seconds of a time
	memory float64   // MB of a memory
	zero   time.Time // of time 0
}

func scaleOf(in *model.Instance) (s scale, err error) {
	if s.each, err = placements.Seconds("sacct", in); err != nil {
		return s, err
	}
	if s.memory, err = placements.Memory("sacct", "MB", in); err != nil {
		return s, err
	}
	s.zero = timeZero
	if unix, stated := in.TimeZero(); stated {
		place := time.UTC
		if zone := in.TimeZone(); zone != "" && zone != model.UnstatedZone {
			if place, err = time.LoadLocation(zone); err != nil {
				return s, fmt.Errorf("sacct: expected a time zone that this machine knows, found time_zone %q", zone)
			}
		}
		if !(unix >= 0 && unix+latest < 253402214400) {
			return s, fmt.Errorf("sacct: expected a time_zero from 1970 to 9700, in Unix seconds, found %v", unix)
		}
		s.zero = time.Unix(int64(unix), 0).In(place)
	}
	return s, nil
}

// moment is a time as sacct prints it.
func (s *scale) moment(t float64) string {
	return s.zero.Add(time.Duration(t*s.each) * time.Second).Format("2006-01-02T15:04:05")
}

// hostsOf are the names of a group of machines.
func hostsOf(m *model.Machine) []string {
	if names, err := expandHosts(m.ID, budget.Own()); err == nil && len(names) == m.Count {
		return names
	}
	names := make([]string, m.Count)
	for k := range names {
		names[k] = strings.Map(func(r rune) rune {
			if strings.ContainsRune("[], \t=", r) {
				return '-'
			}
			return r
		}, lines.Name(m.ID)) + strconv.Itoa(k+1)
	}
	return names
}

// genericText are the resources of a machine in Slurm's form, such as gpu:a100:4, where the machine has a feature such as gpu:a100 for their type.
func genericText(in *model.Instance, m *model.Machine) string {
	var parts []string
	for r, resource := range in.Resources() {
		if amount := m.Amount(r); amount > 0 {
			parts = append(parts, resource.ID+":"+strconv.FormatFloat(math.Floor(amount.Float()), 'f', -1, 64))
		}
	}
	return strings.Join(parts, ",")
}

// eachMachine calls do for each group of machines.
func eachMachine(in *model.Instance, do func(c *model.Cluster, m *model.Machine)) {
	for k := range in.Clusters() {
		c := &in.Clusters()[k]
		for g := range c.Machines {
			do(c, &c.Machines[g])
		}
	}
}

// WriteNodes writes the machines as scontrol show node prints nodes. The partition of a node is its cluster.
func WriteNodes(w io.Writer, in *model.Instance) error {
	out := bufio.NewWriter(w)
	eachMachine(in, func(c *model.Cluster, m *model.Machine) {
		for _, name := range hostsOf(m) {
			features, generic := strings.Join(m.Features(), ","), genericText(in, m)
			if features == "" {
				features = "(null)"
			}
			if generic == "" {
				generic = "(null)"
			}
			fmt.Fprintf(out, "NodeName=%s Arch=x86_64 CoresPerSocket=%d\n   CPUAlloc=0 CPUEfctv=%d CPUTot=%d CPULoad=0.00\n   AvailableFeatures=%s\n   ActiveFeatures=%s\n   Gres=%s\n",
				name, m.Processors, m.Processors, m.Processors, features, features, generic)
			if !math.IsInf(m.Memory, 1) {
				fmt.Fprintf(out, "   RealMemory=%.0f AllocMem=0 FreeMem=N/A Sockets=1 Boards=1\n", math.Floor(m.Memory))
			}
			fmt.Fprintf(out, "   State=IDLE ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n   Partitions=%s\n\n", c.ID)
		}
	})
	return out.Flush()
}

// nodesOf is the hostlist of a cluster.
func nodesOf(c *model.Cluster) string {
	var names []string
	for g := range c.Machines {
		names = append(names, hostsOf(&c.Machines[g])...)
	}
	return compressHosts(names)
}

// WritePartitions writes the clusters as scontrol show partition prints partitions.
func WritePartitions(w io.Writer, in *model.Instance) error {
	out := bufio.NewWriter(w)
	for k := range in.Clusters() {
		c, nodes := &in.Clusters()[k], 0
		for g := range c.Machines {
			nodes += c.Machines[g].Count
		}
		fmt.Fprintf(out, "PartitionName=%s\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n   AllocNodes=ALL Default=%s QoS=N/A\n   MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 LLN=NO\n   Nodes=%s\n"+
			"   PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO\n   State=UP TotalCPUs=%d TotalNodes=%d SelectTypeParameters=NONE\n\n",
			c.ID, map[bool]string{true: "YES", false: "NO"}[k == 0], nodesOf(c), c.Processors, nodes)
	}
	return out.Flush()
}

// WriteConf writes the nodes and the partitions as slurm.conf has them.
func WriteConf(w io.Writer, in *model.Instance) error {
	if len(in.Clusters()) == 0 {
		return errors.New("slurm.conf: expected clusters, found none")
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# The nodes and partitions of a generated site.\nClusterName=site\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nSchedulerType=sched/backfill\n\nNodeName=DEFAULT Sockets=1 ThreadsPerCore=1 State=UNKNOWN\n")
	eachMachine(in, func(_ *model.Cluster, m *model.Machine) {
		fmt.Fprintf(out, "NodeName=%s CPUs=%d CoresPerSocket=%d", compressHosts(hostsOf(m)), m.Processors, m.Processors)
		if !math.IsInf(m.Memory, 1) {
			fmt.Fprintf(out, " \\\n   RealMemory=%.0f", math.Floor(m.Memory))
		}
		if generic := genericText(in, m); generic != "" {
			fmt.Fprintf(out, " Gres=%s", generic)
		}
		if features := m.Features(); len(features) > 0 {
			fmt.Fprintf(out, " Features=%s", strings.Join(slices.Clone(features), ","))
		}
		fmt.Fprintln(out)
	})
	fmt.Fprintf(out, "\nPartitionName=DEFAULT MaxTime=UNLIMITED State=UP\n")
	for k := range in.Clusters() {
		c := &in.Clusters()[k]
		fmt.Fprintf(out, "PartitionName=%s Nodes=%s Default=%s\n", c.ID, nodesOf(c), map[bool]string{true: "YES", false: "NO"}[k == 0])
	}
	return out.Flush()
}
