package backfill

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// plainJob is a job of a naive run: blocks of processors with whole GPUs, memory for each processor, machines by number.
type plainJob struct {
	id                          string
	arrival, runtime, estimate  float64
	block, blocks, gpus, memory int
	least, most, each           int // machines, and blocks on each; 0: no limit
	alone                       bool
	licences                    int
	user, queue                 string
	nodes                       []bool // on which it may run

	start  float64
	on     []int // machines
	blocky []int // blocks on each
}

// naiveSlurm replays jobs under the rules of [Slurm] in the plainest way. It shares no code with the policy: it keeps lists of what each machine has free, and
// looks at everything anew each time.
type naiveSlurm struct {
	Cycles
	step                              float64
	processors, gpus, memory          []int // free, by machine
	allProcessors, allGPUs, allMemory []int
	licences                          int
	could                             []int // blocks by machine, of the last fit
	jobs, queue, running              []*plainJob
	now                               float64
	cycled                            float64
	changed                           bool
	plans                             []naivePlan // of the last cycle
	begin, end                        float64
}

// naivePlan is machines that are planned.
type naivePlan struct {
	start, begin, end float64
	on                []int
}

func (n *naiveSlurm) run() {
	slices.SortStableFunc(n.jobs, func(a, b *plainJob) int {
		return int(math.Copysign(1, a.arrival-b.arrival)) * btoi(a.arrival != b.arrival)
	})
	n.cycled = math.Inf(-1)
	coming := slices.Clone(n.jobs)
	wake := math.Inf(1)
	for {
		t := wake
		for _, j := range n.running {
			t = min(t, j.start+j.runtime)
		}
		if len(coming) > 0 {
			t = min(t, coming[0].arrival)
		}
		if math.IsInf(t, 1) {
			return
		}
		n.now, wake = t, math.Inf(1)
		n.running = slices.DeleteFunc(n.running, func(j *plainJob) bool {
			if j.start+j.runtime > t {
				return false
			}
			n.hold(j, 1)
			n.changed = true
			return true
		})
		for len(coming) > 0 && coming[0].arrival == t {
			n.queue, coming, n.changed = append(n.queue, coming[0]), coming[1:], true
		}
		soonest := math.Inf(1)
		due := n.changed && n.cycled < t && math.Mod(t, n.Interval) == 0
		n.main(due)
		if due {
			n.cycle()
			n.cycled, n.changed = t, false
		}
		if len(n.queue) == 0 {
			continue
		}
		for _, p := range n.plans {
			if p.start > t && n.cycled == t {
				soonest = min(soonest, p.start)
			}
		}
		if n.changed {
			wake = (math.Floor(t/n.Interval) + 1) * n.Interval
		} else if !math.IsInf(soonest, 1) {
			wake = max(math.Ceil(soonest/n.Interval)*n.Interval, (math.Floor(t/n.Interval)+1)*n.Interval)
			n.changed = true
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hold gives what a job holds back, or takes it with sign −1.
func (n *naiveSlurm) hold(j *plainJob, sign int) {
	for k, m := range j.on {
		if j.alone {
			n.processors[m] += sign * n.allProcessors[m]
		} else {
			n.processors[m] += sign * j.blocky[k] * j.block
		}
		n.gpus[m] += sign * j.blocky[k] * j.gpus
		n.memory[m] += sign * j.blocky[k] * j.block * j.memory
	}
	n.licences += sign * j.licences
}

// fit finds machines for a job among those given, in what is free.
func (n *naiveSlurm) fit(j *plainJob, among []bool) (on, blocks []int) {
	could := make([]int, len(among))
	for m := range among {
		if !among[m] || !j.nodes[m] || j.alone && n.processors[m] < n.allProcessors[m] {
			continue
		}
		for b := 1; b*j.block <= n.processors[m] && b*j.gpus <= n.gpus[m] && b*j.block*j.memory <= n.memory[m] && b <= j.blocks; b++ {
			could[m] = b
		}
		if j.each > 0 && could[m] >= j.each {
			could[m] = j.each
		} else if j.each > 0 {
			could[m] = 0
		}
		if (j.blocks == 1 || j.most == 1) && could[m] < j.blocks {
			could[m] = 0
		}
	}
	var best []int
	var runs [][]int
	for m := 0; m <= len(could); m++ {
		if m == len(could) || could[m] == 0 {
			continue
		}
		if m > 0 && could[m-1] > 0 {
			runs[len(runs)-1] = append(runs[len(runs)-1], m)
		} else {
			runs = append(runs, []int{m})
		}
	}
	for _, r := range runs {
		all := 0
		for _, m := range r {
			all += could[m]
		}
		if all >= j.blocks && len(r) >= max(1, j.least) && (best == nil || len(r) < len(best)) {
			best = r
		}
	}
	order := best
	if best == nil {
		slices.SortStableFunc(runs, func(a, b []int) int { return len(b) - len(a) })
		for _, r := range runs {
			order = append(order, r...)
		}
	}
	if on, blocks = fillNaive(j, order, could); on == nil && j.most > 0 {
		order = order[:0:0]
		for m := range could {
			if could[m] > 0 {
				order = append(order, m)
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return could[b] - could[a] })
		on, blocks = fillNaive(j, order, could)
	}
	n.could = could
	return on, blocks
}

func fillNaive(j *plainJob, order, could []int) (on, blocks []int) {
	left := j.blocks
	for _, m := range order {
		b := min(could[m], left-max(0, max(1, j.least)-len(on)-1))
		if b > 0 {
			on, blocks, left = append(on, m), append(blocks, b), left-b
		}
		if left == 0 {
			break
		}
	}
	if left > 0 || len(on) < j.least || j.most > 0 && len(on) > j.most {
		return nil, nil
	}
	return on, blocks
}

func (n *naiveSlurm) begins(j *plainJob, on []int) {
	slices.Sort(on) // they are filled in the order of their numbers
	on, blocks := fillNaive(j, on, n.could)
	j.start, j.on, j.blocky = n.now, on, blocks
	n.hold(j, -1)
	n.running = append(n.running, j)
	n.queue = slices.DeleteFunc(n.queue, func(o *plainJob) bool { return o == j })
	n.changed = true
}

// of is the machines of a queue.
func (n *naiveSlurm) of(queue string) []bool {
	nodes := make([]bool, len(n.processors))
	for _, j := range n.jobs {
		if j.queue == queue && j.arrival <= n.now {
			for m := range nodes {
				blocks := max(1, j.each)
				nodes[m] = nodes[m] || j.nodes[m] && blocks*j.block <= n.allProcessors[m] && blocks*j.gpus <= n.allGPUs[m] && blocks*j.block*j.memory <= n.allMemory[m]
			}
		}
	}
	return nodes
}

func (n *naiveSlurm) main(whole bool) {
	closed := map[string]bool{}
	open := slices.Repeat([]bool{true}, len(n.processors))
	for k, j := range slices.Clone(n.queue) {
		if k >= n.Depth && !whole {
			return
		}
		if closed[j.queue] || j.licences > n.licences {
			continue
		}
		if on, _ := n.fit(j, open); on != nil {
			n.begins(j, on)
			continue
		}
		closed[j.queue] = true
		for m, is := range n.of(j.queue) {
			open[m] = open[m] && !is
		}
	}
}

// free says which machines are free of plans all the time from start to end, both included by the slots that begin by then.
func (n *naiveSlurm) free(slots []float64, k int) []bool {
	free := slices.Repeat([]bool{true}, len(n.processors))
	for _, p := range n.plans {
		if p.begin <= slots[k] && slots[k] < p.end {
			for _, m := range p.on {
				free[m] = false
			}
		}
	}
	return free
}

func (n *naiveSlurm) cycle() {
	n.begin, n.end = math.Floor(n.now/n.Resolution)*n.Resolution, math.Floor((n.now+n.Window)/n.Resolution)*n.Resolution
	n.plans = nil
	tests, users, queues := 0, map[string]int{}, map[string]int{}
	for _, j := range slices.Clone(n.queue) {
		if j.licences > n.licences || n.TestsQueue != nil && queues[j.queue] >= *n.TestsQueue || n.TestsUser != nil && users[j.user] >= *n.TestsUser {
			continue
		}
		queues[j.queue]++
		users[j.user]++
		if tests++; tests > n.Tests {
			return
		}
		n.plan(j)
	}
}

func (n *naiveSlurm) plan(j *plainJob) {
	within := n.of(j.queue)
	for s, next := n.now, 0.0; ; s = next {
		slots := []float64{n.begin} // begins of the slots, without those that are like the one before
		for _, p := range n.plans {
			for _, at := range []float64{p.begin, p.end} {
				if at > n.begin && at < n.end {
					slots = append(slots, at)
				}
			}
		}
		slices.Sort(slots)
		slots = slices.Compact(slots)
		for k := len(slots) - 1; k > 0; k-- {
			if slices.Equal(n.free(slots, k-1), n.free(slots, k)) {
				slots = slices.Delete(slots, k, k+1)
			}
		}
		next = 0
		avail := slices.Clone(within)
		for k := range slots {
			end := n.end
			if k+1 < len(slots) {
				end = slots[k+1]
			}
			if end <= s {
				continue
			}
			free := n.free(slots, k)
			if next == 0 && k+1 < len(slots) {
				then := n.free(slots, k+1)
				for m := range within {
					if within[m] && then[m] && !(avail[m] && free[m]) {
						next = end
					}
				}
			}
			if slots[k] > s+j.estimate {
				break
			}
			for m := range avail {
				avail[m] = avail[m] && free[m]
			}
		}
		at, on := n.willRun(j, avail)
		at = max(at, s)
		if on == nil || next > 0 && at > next {
			if next == 0 {
				return
			}
			continue
		}
		if at <= n.now {
			n.begins(j, on)
			return
		}
		begin, end := math.Floor(at/n.Resolution)*n.Resolution, math.Floor((at+j.estimate)/n.Resolution)*n.Resolution
		if at > n.now+n.Window {
			n.plans = append(n.plans, naivePlan{at, at, at, nil})
			return
		}
		clear := true
		for k := range slots { // plans from the end of the window on are not seen
			if slots[k] < end && (k+1 == len(slots) && n.end > begin || k+1 < len(slots) && slots[k+1] > begin) {
				free := n.free(slots, k)
				for _, m := range on {
					clear = clear && free[m]
				}
			}
		}
		if !clear {
			if at > s {
				next = at
			}
			if next == 0 {
				return
			}
			continue
		}
		begin = max(begin, n.begin)
		n.plans = append(n.plans, naivePlan{at, begin, max(end, begin+n.Resolution), on})
		j.start = at
		return
	}
}

// willRun finds when a job fits the machines as running jobs end.
func (n *naiveSlurm) willRun(j *plainJob, avail []bool) (float64, []int) {
	if on, _ := n.fit(j, avail); on != nil {
		return n.now, on
	}
	type ending struct {
		at float64
		j  *plainJob
	}
	var ends []ending
	for _, r := range n.running {
		if slices.ContainsFunc(r.on, func(m int) bool { return avail[m] }) {
			at := r.start + r.estimate
			if at <= n.now {
				at = n.now + n.step
			}
			ends = append(ends, ending{at, r})
		}
	}
	slices.SortStableFunc(ends, func(a, b ending) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	processors, gpus, memory, licences := slices.Clone(n.processors), slices.Clone(n.gpus), slices.Clone(n.memory), n.licences
	defer func() { n.processors, n.gpus, n.memory, n.licences = processors, gpus, memory, licences }()
	n.processors, n.gpus, n.memory = slices.Clone(processors), slices.Clone(gpus), slices.Clone(memory)
	if len(ends) == 0 {
		return 0, nil
	}
	base, width := (math.Floor(ends[0].at/30)+1)*30, 30.0
	for k := 0; k < len(ends); {
		last := 0.0
		for ; k < len(ends) && ends[k].at <= base+width; k++ {
			n.hold(ends[k].j, 1)
			last = ends[k].at
		}
		for k < len(ends) && ends[k].at > base+width {
			width *= 2
		}
		if last == 0 {
			continue
		}
		if on, _ := n.fit(j, avail); on != nil {
			return last, on
		}
	}
	return 0, nil
}

// drawSlurm draws a system and jobs, as the naive form and as an instance have them.
func drawSlurm(t *testing.T, r *rand.Rand) (*naiveSlurm, *model.Instance) {
	nodes := 1 + r.IntN(6)
	n := &naiveSlurm{Cycles: DefaultCycles(), step: 1, licences: 3}
	n.Interval, n.Resolution = []float64{1, 5, 30}[r.IntN(3)], []float64{1, 7, 60}[r.IntN(3)]
	n.Window = []float64{100, 1000, 86400}[r.IntN(3)]
	n.Depth, n.Tests = 1+r.IntN(8), 1+r.IntN(12)
	if r.IntN(3) == 0 {
		n.TestsUser = new(1 + r.IntN(3))
	}
	if r.IntN(3) == 0 {
		n.TestsQueue = new(1 + r.IntN(4))
	}
	queues := map[string][]bool{}
	var machines []any
	for _, q := range []string{"a", "b"} {
		queues[q] = make([]bool, nodes)
	}
	for m := range nodes {
		features := []string{}
		for _, q := range []string{"a", "b"} {
			if r.IntN(4) > 0 {
				queues[q][m] = true
				features = append(features, q)
			}
		}
		processors, gpus, memory := 2+r.IntN(7), r.IntN(4), 20+r.IntN(40)
		n.processors, n.gpus, n.memory = append(n.processors, processors), append(n.gpus, gpus), append(n.memory, memory)
		machine := map[string]any{"id": fmt.Sprintf("m%d", m), "processors": processors, "memory": memory, "features": features}
		if gpus > 0 {
			machine["resources"] = map[string]int{"gpu": gpus}
		}
		machines = append(machines, machine)
	}
	n.allProcessors, n.allGPUs, n.allMemory = slices.Clone(n.processors), slices.Clone(n.gpus), slices.Clone(n.memory)
	var list []any
	for k := range 2 + r.IntN(20) {
		q := []string{"a", "b"}[r.IntN(2)]
		j := &plainJob{id: fmt.Sprintf("j%d", k), arrival: float64(r.IntN(1 + r.IntN(200))), runtime: float64(1 + r.IntN(150)), block: 1 + r.IntN(3), blocks: 1 + r.IntN(4),
			memory: r.IntN(8), queue: q, user: fmt.Sprintf("u%d", r.IntN(3)), nodes: queues[q]}
		j.estimate = max(1, math.Floor(j.runtime*[]float64{1, 1, 1.5, 3, 0.6}[r.IntN(5)]))
		job := map[string]any{"id": j.id, "arrival": j.arrival, "work": j.runtime, "estimate": j.estimate, "queue": q, "user": j.user, "features": [][]string{{q}}}
		if r.IntN(3) == 0 {
			j.gpus = 1 + r.IntN(2)
			job["resources"] = map[string]int{"gpu": j.gpus}
		}
		switch r.IntN(5) {
		case 0:
			j.each = 1 + r.IntN(2)
			j.blocks = j.each * (1 + r.IntN(2))
			job["per_machine"] = j.each
		case 1:
			j.least = 1 + r.IntN(min(nodes, j.blocks))
			j.most = j.least + r.IntN(3)
			job["machines"] = map[string]int{"min": j.least, "max": j.most}
		case 2:
			j.alone, job["exclusive"] = true, true
		}
		if j.block > 1 {
			job["block"] = j.block
		}
		if j.memory > 0 {
			job["memory"] = j.memory
		}
		if r.IntN(5) == 0 {
			j.licences = 1 + r.IntN(2)
			job["licences"] = map[string]int{"l": j.licences}
		}
		job["processors"] = j.block * j.blocks
		list = append(list, job)
		n.jobs = append(n.jobs, j)
	}
	text, err := json.Marshal(map[string]any{"schema": "allot/instance/1", "devices": []string{"gpu"}, "licences": map[string]int{"l": 3},
		"clusters": []any{map[string]any{"id": "c", "machines": machines}}, "jobs": list})
	if err != nil {
		t.Fatal(err)
	}
	in, err := model.ReadInstance(strings.NewReader(string(text)), "drawn")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return n, in
}

// The policy starts each job when the naive form does, on the same machines.
func TestSlurmAsNaive(t *testing.T) {
	compared, few := 0, fewMachines
	defer func() { fewMachines = few }()
	for seed := range uint64(3000) {
		if fewMachines = few; seed%2 == 1 { // look at lists of all machines
			fewMachines = 0
		}
		r := rand.New(rand.NewPCG(seed, 36))
		n, in := drawSlurm(t, r)
		n.jobs = slices.DeleteFunc(n.jobs, func(j *plainJob) bool {
			k, _ := in.JobIndex(j.id)
			return !in.CanRun(k, 0)
		})
		for _, j := range n.jobs {
			j.start = -1
		}
		n.run()
		sol, _, err := sim.Simulate(context.Background(), in, Slurm(1, n.Cycles, Ranking{}), sim.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		starts, where := map[string]string{}, map[string]string{}
		for _, p := range sol.Jobs {
			starts[p.Job] = fmt.Sprint(p.Start)
			where[p.Job] = fmt.Sprint(machinesOf(in, p.Processors))
		}
		if testing.Verbose() {
			t.Logf("%+v nodes %v %v %v", n.Cycles, n.allProcessors, n.gpus, n.memory)
			for _, j := range n.jobs {
				t.Logf("%s arr %g run %g est %g block %d×%d gpu %d mem %d least %d most %d each %d alone %v lic %d %s %s %v: naive %g %v, policy %s %s", j.id, j.arrival, j.runtime, j.estimate, j.blocks, j.block, j.gpus, j.memory, j.least, j.most, j.each, j.alone, j.licences, j.queue, j.user, j.nodes, j.start, j.on, starts[j.id], where[j.id])
			}
		}
		for _, j := range n.jobs {
			compared++
			if got, want := starts[j.id]+" on "+where[j.id], fmt.Sprint(j.start, " on ", j.on); got != want {
				t.Fatalf("seed %d: job %s starts at %s, expected %s", seed, j.id, got, want)
			}
		}
	}
	if compared < 10_000 {
		t.Errorf("only %d starts compared", compared)
	}
}

// machinesOf is the machines of the cluster that the processors lie on.
func machinesOf(in *model.Instance, set model.ProcessorSet) (machines []int) {
	for _, r := range set {
		for p := r.First; p <= r.Last; p++ {
			if m, _ := in.Clusters()[0].MachineOf(p); !slices.Contains(machines, m) {
				machines = append(machines, m)
			}
		}
	}
	return machines
}
