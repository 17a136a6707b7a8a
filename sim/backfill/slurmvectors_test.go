package backfill

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// vectors is what a real Slurm planned; see its SOURCE.md.
const vectors = "../../data/slurm-vectors"

// slurmJob is a job as Slurm shows it.
type slurmJob struct {
	state, nodes, required, partition    string
	processors, machines, gpus, licences int
	limit, start, end                    float64 // seconds
	memoryProcessor, memoryNode          float64 // MB
	alone                                bool
}

// slurmJobs reads the output of scontrol show job -o.
func slurmJobs(t *testing.T) map[string]*slurmJob {
	text, err := os.ReadFile(filepath.Join(vectors, "classic-1", "jobs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	moment := func(text string) float64 {
		at, err := time.Parse("2006-01-02T15:04:05", text)
		if err != nil {
			return math.NaN()
		}
		return float64(at.Unix())
	}
	list := map[string]*slurmJob{}
	for line := range strings.Lines(string(text)) {
		get := func(key string) string {
			if found := regexp.MustCompile(`(?:^| )` + key + `=(\S*)`).FindStringSubmatch(line); found != nil && found[1] != "(null)" {
				return found[1]
			}
			return ""
		}
		count := func(key, pattern string) int {
			if found := regexp.MustCompile(pattern).FindStringSubmatch(get(key)); found != nil {
				return int(number(found[1]))
			}
			return 0
		}
		e := &slurmJob{state: get("JobState"), nodes: get("NodeList"), required: get("ReqNodeList"), partition: get("Partition"), alone: get("OverSubscribe") == "NO",
			processors: count("NumCPUs", `^(\d+)`), machines: count("NumNodes", `^(\d+)`), gpus: count("TresPerNode", `gpu:(\d+)`), licences: count("Licenses", `matlab:(\d+)`),
			start: moment(get("StartTime")), end: moment(get("EndTime"))}
		days, clock := "0", get("TimeLimit")
		if d, rest, found := strings.Cut(clock, "-"); found {
			days, clock = d, rest
		}
		parts := strings.Split(clock, ":")
		e.limit = number(days)*86400 + number(parts[0])*3600 + number(parts[1])*60 + number(parts[2])
		memory := func(key string) float64 {
			text := get(key)
			x := number(strings.TrimRight(text, "MG"))
			if strings.HasSuffix(text, "G") {
				x *= 1024
			}
			return x
		}
		if get("MinMemoryCPU") != "" {
			e.memoryProcessor = memory("MinMemoryCPU")
		} else {
			e.memoryNode = memory("MinMemoryNode")
		}
		list[get("JobId")] = e
	}
	return list
}

// numbers reads a list of nodes such as cn[1-2,4].
func numbers(list string) (nodes []int) {
	for _, part := range strings.Split(strings.Trim(strings.TrimPrefix(list, "cn"), "[]"), ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, _ := strconv.Atoi(from)
		last, _ := strconv.Atoi(to)
		for n := first; n <= last && n > 0; n++ {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// spec is the job as an instance states it, in the given partition.
func (e *slurmJob) spec(id, partition string) map[string]any {
	job := map[string]any{"id": id, "work": e.limit, "estimate": e.limit, "processors": e.processors, "queue": partition, "features": [][]string{{partition}}}
	each := e.processors / e.machines
	memory := e.memoryProcessor
	if e.gpus > 0 || e.memoryNode > 0 { // what it asks for of each node
		job["block"], job["machines"], job["per_machine"] = each, e.machines, 1
		memory = e.memoryNode / float64(each)
		if e.memoryNode == 0 {
			memory = e.memoryProcessor
		}
	} else if e.machines > 1 {
		job["machines"] = map[string]int{"min": e.machines, "max": 4}
	}
	job["memory"] = memory
	if e.gpus > 0 {
		job["resources"] = map[string]int{"gpu": e.gpus}
	}
	if e.alone {
		job["exclusive"] = true
	}
	if e.licences > 0 {
		job["licences"] = map[string]int{"matlab": e.licences}
	}
	if e.required != "" {
		for _, n := range numbers(e.required) {
			job["features"] = append(job["features"].([][]string), []string{fmt.Sprintf("cn%d", n)})
		}
	}
	return job
}

// What backfill plans in four cycles is what a real Slurm planned: 140 entries with their starts, the ends of the times for which they keep their nodes, and
// these nodes.
func TestSlurmPlansAsSlurmDid(t *testing.T) {
	file, err := os.Open(filepath.Join(vectors, "backfill", "plan.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	jobs := slurmJobs(t)
	cycles := map[string][][]string{}
	for _, row := range rows[1:] {
		cycles[row[0]] = append(cycles[row[0]], row)
	}
	same, all := 0, 0
	for cycle, queue := range cycles {
		now, _ := strconv.ParseFloat(cycle, 64)
		plans := planOf(t, jobs, now, queue)
		for k, row := range queue {
			want := fmt.Sprint(row[4:])
			got := "[  ]"
			if p := plans[k]; p.cycle > 0 {
				var nodes []string
				for _, s := range p.shares {
					nodes = append(nodes, strconv.Itoa(int(s.Machine)+1))
				}
				slices.Sort(nodes) // a set
				got = fmt.Sprintf("%.0f %.0f %s", p.start+now, p.end+now, strings.Join(nodes, ","))
				if row[4] != "" {
					var theirs []string
					for _, n := range numbers(row[6]) {
						theirs = append(theirs, strconv.Itoa(n))
					}
					want = fmt.Sprintf("%s %s %s", row[4], row[5], strings.Join(theirs, ","))
				}
			}
			all++
			if got == want {
				same++
			} else {
				t.Errorf("cycle %s, entry %d, job %s in %s: planned %s, Slurm %s", cycle, k, row[1], row[2], got, want)
			}
		}
	}
	if all != 140 {
		t.Errorf("%d entries, expected 140", all)
	}
	t.Logf("%d of %d", same, all)
}

// planOf plans a queue in one cycle.
func planOf(t *testing.T, jobs map[string]*slurmJob, now float64, queue [][]string) []jobPlan {
	machines := []map[string]any{}
	for n := 1; n <= 4; n++ {
		features := []string{"batch", "urgent", fmt.Sprintf("cn%d", n)}
		if n <= 2 {
			features = append(features, "short")
		}
		machines = append(machines, map[string]any{"id": fmt.Sprintf("cn%d", n), "processors": 16, "memory": 16000, "resources": map[string]int{"gpu": 4}, "features": features})
	}
	var list []map[string]any
	used, usedGPUs := map[int]int{}, map[int]int{} // processors and GPUs of each node
	ids := make([]string, 0, len(jobs))
	for id := range jobs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		e := jobs[id]
		if !slices.Contains([]string{"RUNNING", "COMPLETED", "TIMEOUT"}, e.state) || e.nodes == "" || !(e.start <= now) || e.state != "RUNNING" && e.end <= now {
			continue
		}
		nodes := numbers(e.nodes)
		each := e.processors / len(nodes)
		var set []string
		holds, devices := map[string]any{}, map[string]string{}
		for _, n := range nodes {
			first := 16*(n-1) + used[n]
			set = append(set, fmt.Sprintf("%d-%d", first, first+each-1))
			used[n] += each
			if e.gpus > 0 {
				name := fmt.Sprintf("cn%d", n)
				holds[name], devices[name] = map[string]int{"gpu": e.gpus}, fmt.Sprintf("%d-%d", usedGPUs[n], usedGPUs[n]+e.gpus-1)
				usedGPUs[n] += e.gpus
			}
		}
		left := e.start + e.limit - now
		memory := e.memoryProcessor
		if e.memoryNode > 0 {
			memory = e.memoryNode / float64(each)
		}
		run := map[string]any{"cluster": "c", "processors": strings.Join(set, ","), "elapsed": now - e.start}
		if len(holds) > 0 {
			run["holds"], run["devices"] = holds, map[string]any{"gpu": devices}
		}
		job := map[string]any{"id": "r" + id, "work": left, "estimate": left, "processors": e.processors, "memory": memory, "running": run}
		if e.licences > 0 {
			job["licences"] = map[string]int{"matlab": e.licences}
		}
		list = append(list, job)
	}
	running := len(list)
	for k, row := range queue {
		list = append(list, jobs[row[1]].spec(fmt.Sprintf("%d", k), row[2]))
		if limit := map[string]float64{"short": 7200, "urgent": 3600}[row[2]]; limit > 0 && jobs[row[1]].limit > limit {
			list[len(list)-1]["work"], list[len(list)-1]["estimate"] = limit, limit
		}
	}
	text, err := json.Marshal(map[string]any{"schema": "allot/instance/1", "time_zero": now, "clusters": []any{map[string]any{"id": "c", "machines": machines}}, "jobs": list, "devices": []string{"gpu"}, "licences": map[string]int{"matlab": 4}})
	if err != nil {
		t.Fatal(err)
	}
	in, err := model.ReadInstance(strings.NewReader(string(text)), "vectors")
	if err != nil {
		t.Fatal(err)
	}
	watch := &firstCycle{running: running, plans: make([]jobPlan, len(queue))}
	d := Slurm(1, DefaultCycles(), Ranking{})
	d.General = func(platform *sim.Platform, _ uint64) sim.Policy {
		cycles := DefaultCycles()
		cycles.Window, cycles.Interval = 2880*60, 1
		watch.policy = newSlurm(platform, 1, cycles, nil)
		return watch.policy
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	watch.stop = stop
	_, _, _ = sim.Simulate(ctx, in, d, sim.Options{Observer: watch})
	return watch.plans
}

// firstCycle copies the plans of the first cycle.
type firstCycle struct {
	policy  *slurm
	running int
	plans   []jobPlan
	done    bool
	stop    func()
}

func (*firstCycle) Arrived(float64, *sim.Job)                   {}
func (*firstCycle) Started(float64, *sim.Job, []sim.Part)       {}
func (*firstCycle) Left(float64, *sim.Job, sim.Outcome, string) {}
func (w *firstCycle) Decided(float64) {
	if w.done || w.policy.cycle == 0 {
		return
	}
	w.done = true
	for _, j := range w.policy.queue {
		if j == nil {
			continue
		}
		if p := w.policy.plans[j.Handle]; p.cycle == w.policy.cycle {
			p.end = w.policy.rounded(p.end)
			p.shares = slices.Clone(p.shares)
			w.plans[int(j.Number)-w.running] = p
		}
	}
	w.stop()
}
