package slurm

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// Usage is what a trace says of a job besides what its instance has: its name, and what it asked for and used. Figures that are not known are −1.
type Usage struct {
	Name    string
	Memory  float64 // MB that all of the job held or asked for
	Used    float64 // MB at its highest: the highest of each step, added up where steps run at once
	Devices float64 // GPUs that it held
	Busy    float64 // mean use of these GPUs while it ran, from 0 to 1: what its steps used
}

// UsageCommand is the command that prints what [ReadUsage] reads besides what [Command] prints. Without -X it has a line for each step, which is where Slurm keeps what was used.
const UsageCommand = "sacct -P -D -a -S 2026-01-01 -o JobID,JobName,User,Account,Partition,QOS,State,Submit,Eligible,Start,End,TimelimitRaw,NCPUS,NNodes,NTasks,ReqMem,MaxRSS,ReqTRES,AllocTRES,TRESUsageInTot,TRESUsageInAve"

// ReadUsage reads what sacct -P prints a second time, for names and for what was used, by the id that [TraceReader] gives the job. Where an id stands twice, as of a job that was requeued, nothing is
// known. What cannot be read is not known: [TraceReader] says what is wrong with a file. The error is that of reading. O(size of the file).
//
// A step's memory is that in TRESUsageInTot; where that is absent MaxRSS, which is that of the greatest task, times NTasks. Steps without a start or an end count as if they ran all the time, for memory, and
// leave the use of GPUs unknown where there are several.
func ReadUsage(r io.Reader) (map[string]Usage, error) {
	usage, twice, steps := map[string]Usage{}, map[string]bool{}, map[string]*stepsOf{}
	err := eachRow(r, func(value fields) {
		if value("JobID") == "" { // of JobComp, which states nothing of this
			return
		}
		id, step, isStep := strings.Cut(value("JobID"), ".")
		id = strings.Clone(lines.Name(id))
		u, known := usage[id]
		if !known {
			u = Usage{Memory: -1, Used: -1, Devices: -1, Busy: -1}
		}
		of := steps[id]
		if of == nil {
			of = &stepsOf{}
			steps[id] = of
		}
		if isStep {
			if step != "extern" {
				of.steps = append(of.steps, stepOf(value))
			}
		} else {
			twice[id] = twice[id] || known && u.Memory != -1 || known && u.Name != ""
			u.job(value)
			of.job = stepOf(value) // sacct prints what was used beside the job too where it has one step
		}
		usage[id] = u
	})
	for id, u := range usage {
		u.Used, u.Busy = steps[id].memory(), steps[id].busy(u.Devices)
		usage[id] = u
	}
	for id := range twice {
		if twice[id] {
			delete(usage, id)
		}
	}
	return usage, err
}

// eachRow calls a function with each line of what sacct -P or JobComp's filetxt print, steps among them. Lines that cannot be read are passed over.
func eachRow(r io.Reader, take func(value fields)) error {
	var column map[string]int
	width := 0
	r, faults := lines.Begin(r, "")
	scanner := lines.NewScanner(r)
	open := false
	for scanner.Scan() {
		line := strings.TrimSpace(string(scanner.Bytes()))
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, "JobId=") {
			take(jobComp(line))
			continue
		}
		cells := strings.Split(line, "|")
		if column == nil {
			column = map[string]int{}
			if cells[len(cells)-1] == "" {
				cells = cells[:len(cells)-1]
			}
			for k, name := range cells {
				column[name] = k
			}
			if _, found := column["JobID"]; !found {
				return nil
			}
			width = len(cells)
			for _, name := range openColumns {
				open = open || cells[width-1] == name
			}
			continue
		}
		if len(cells) > width && open {
			cells = append(cells[:width-1:width-1], strings.Join(cells[width-1:], "|"))
		}
		if len(cells) < width {
			continue
		}
		take(func(names ...string) string {
			for _, name := range names {
				if k, found := column[name]; found && cells[k] != "" {
					return cells[k]
				}
			}
			return ""
		})
	}
	scanner.Check(faults)
	return faults.Err()
}

// job takes the line of a job.
func (u *Usage) job(value fields) {
	u.Name = strings.Clone(lines.Name(value("JobName")))
	tres := cmp.Or(value("AllocTRES"), value("ReqTRES"))
	if memory := memoryOf(tres); memory > 0 {
		u.Memory = memory
	} else if text := value("ReqMem"); text != "" {
		processors, _ := lines.Whole(cmp.Or(value("NCPUS", "AllocCPUS", "ReqCPUS"), "1"), 0)
		nodes, _ := lines.Whole(cmp.Or(value("NNodes", "AllocNodes", "ReqNodes"), "1"), 0)
		if memory, err := requestedMemory(text, float64(max(processors, 1)), float64(max(nodes, 1))); err == nil && memory > 0 {
			u.Memory = memory
		}
	}
	if counts, _ := genericOf(tres); counts["gpu"] > 0 {
		u.Devices = counts["gpu"]
	}
}

// stepsOf is what the lines of a job say of use: its own, and those of its steps.
type stepsOf struct {
	job   stepUse
	steps []stepUse
}

// stepUse is what a line says of use.
type stepUse struct {
	start, end float64 // Unix seconds; 0: not known
	memory     float64 // MB; 0: not known
	devices    float64 // GPUs; 0: not known
	busy       float64 // of its GPUs, from 0 to 1; −1: not known
}

// stepOf reads what a line says of use.
func stepOf(value fields) stepUse {
	s := stepUse{memory: measured(tresOf(value("TRESUsageInTot"))["mem"]), busy: -1}
	s.start, _ = parseMoment(value("Start")) // what cannot be read is not known
	s.end, _ = parseMoment(value("End"))
	if s.memory == 0 {
		if tasks, err := lines.Whole(cmp.Or(value("NTasks"), "1"), 1); err == nil {
			s.memory = measured(value("MaxRSS")) * float64(tasks)
		}
	}
	counts, _ := genericOf(value("AllocTRES"))
	s.devices = counts["gpu"]
	if text, found := tresOf(value("TRESUsageInAve"))["gres/gpuutil"]; found {
		if busy, err := lines.NonNegative(text); err == nil && busy <= 100 {
			s.busy = busy / 100
		}
	}
	return s
}

// timed says whether it is known when the step ran.
func (s *stepUse) timed() bool { return s.start > 0 && s.end >= s.start }

// memory is the most that the steps can have used at once; −1: not known.
func (of *stepsOf) memory() float64 {
	always, most, now := 0.0, 0.0, 0.0
	var begin, end []stepUse
	for _, s := range of.steps {
		if s.timed() {
			begin, end = append(begin, s), append(end, s)
		} else {
			always += s.memory
		}
	}
	slices.SortFunc(begin, func(a, b stepUse) int { return cmp.Compare(a.start, b.start) })
	slices.SortFunc(end, func(a, b stepUse) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.start, b.start)) })
	for _, s := range begin {
		for len(end) > 0 && end[0].end <= s.start && end[0].start < s.start {
			now, end = now-end[0].memory, end[1:]
		}
		now += s.memory
		most = max(most, now)
	}
	if most = max(always+most, of.job.memory); most > 0 {
		return most
	}
	return -1
}

// busy is the mean use of the GPUs that the job held; −1: not known.
func (of *stepsOf) busy(devices float64) float64 {
	whole, known, last, timed := of.job.end-of.job.start, 0, -1.0, of.job.timed() && of.job.end > of.job.start
	used := 0.0 // GPU seconds
	for _, s := range of.steps {
		if s.busy < 0 {
			continue
		}
		known, last, timed = known+1, s.busy, timed && s.timed()
		gpus := devices
		if s.devices > 0 {
			gpus = min(s.devices, devices)
		}
		used += s.busy * gpus * (s.end - s.start)
	}
	switch {
	case known == 0:
		return of.job.busy
	case timed && devices > 0:
		return min(1, used/(devices*whole))
	case known == 1:
		return last
	}
	return -1
}

// measured is a memory in MB that states its unit, such as 123456K; 0: not known.
func measured(text string) float64 {
	if text == "" || !strings.ContainsAny(text[len(text)-1:], "KMGTP") {
		return 0
	}
	return memoryOf("mem=" + text)
}
