package slurm

import (
	"cmp"
	"io"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// Usage is what a trace says of a job besides what its instance has: its name, and what it asked for and used. Figures that are not known are −1.
type Usage struct {
	Name    string
	Memory  float64 // MB that all of the job held or asked for
	Used    float64 // MB at its highest: of the step with most
	Devices float64 // GPUs that it held
	Busy    float64 // mean use of the GPUs of its steps, from 0 to 1
}

// UsageCommand is the command that prints what [ReadUsage] reads besides what [Command] prints. Without -X it has a line for each step, which is where Slurm keeps what was used.
const UsageCommand = "sacct -P -D -a -S 2026-01-01 -o JobID,JobName,User,Account,Partition,QOS,State,Submit,Eligible,Start,End,TimelimitRaw,NCPUS,NNodes,NTasks,ReqMem,MaxRSS,ReqTRES,AllocTRES,TRESUsageInTot,TRESUsageInAve"

// ReadUsage reads what sacct -P prints a second time, for names and for what was used, by the id that [TraceReader] gives the job. Where an id stands twice, as of a job that was requeued, nothing is
// known. What cannot be read is not known: [TraceReader] says what is wrong with a file. The error is that of reading. O(size of the file).
//
// A step's memory is that in TRESUsageInTot; where that is absent MaxRSS, which is that of the greatest task, times NTasks.
func ReadUsage(r io.Reader) (map[string]Usage, error) {
	usage, twice := map[string]Usage{}, map[string]bool{}
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
		if isStep {
			if step != "extern" {
				u.step(value)
			}
		} else {
			twice[id] = twice[id] || known && u.Memory != -1 || known && u.Name != ""
			u.job(value)
		}
		usage[id] = u
	})
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
	u.step(value) // sacct prints what was used beside the job too where it has one step
}

// step takes what a line says of use.
func (u *Usage) step(value fields) {
	used := measured(tresOf(value("TRESUsageInTot"))["mem"])
	if used == 0 {
		if tasks, err := lines.Whole(cmp.Or(value("NTasks"), "1"), 1); err == nil {
			used = measured(value("MaxRSS")) * float64(tasks)
		}
	}
	if used > 0 {
		u.Used = max(u.Used, used)
	}
	if text, found := tresOf(value("TRESUsageInAve"))["gres/gpuutil"]; found {
		if busy, err := lines.NonNegative(text); err == nil && busy <= 100 {
			u.Busy = max(u.Busy, busy/100)
		}
	}
}

// measured is a memory in MB that states its unit, such as 123456K; 0: not known.
func measured(text string) float64 {
	if text == "" || !strings.ContainsAny(text[len(text)-1:], "KMGTP") {
		return 0
	}
	return memoryOf("mem=" + text)
}
