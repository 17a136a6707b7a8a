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

	"github.com/allot-opt/allot/internal/race"
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
	zero                              float64 // the clock at time 0
	processors, gpus, memory          []int   // free, by machine
	allProcessors, allGPUs, allMemory []int
	licences                          int
	could                             []int // blocks by machine, of the last fit
	weights                           []int // by machine
	jobs, queue, running              []*plainJob
	now                               float64
	cycled, mained                    float64
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
	n.cycled, n.mained = math.Inf(-1), math.Inf(-1)
	n.weights = slices.Repeat([]int{255}, len(n.processors))
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
		late := math.Inf(1) // when the main scheduler is to run
		if next := n.mained + n.Delay; due || t >= next {
			n.main(due)
			n.mained = t
		} else {
			late = next
		}
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
		wake = min(wake, late)
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
	n.could = could
	out := make([]bool, len(could))
	size := func(m int) int { // processors of which the machine's size is judged
		switch {
		case could[m] == 0 || out[m]:
			return 0
		case j.each > 0 && j.least > 1:
			return could[m] * j.block
		case j.each == 0 && j.block == 1 && j.gpus == 0 && j.memory > 0:
			return min(n.processors[m], n.memory[m]/j.memory)
		}
		return n.processors[m]
	}
	for {
		if on, blocks = n.choose(j, could, size); on != nil {
			return on, blocks
		}
		least, left := math.MaxInt, 0
		for m := range could {
			if of := size(m); of > 0 {
				least, left = min(least, of), left+1
			}
		}
		if left <= max(1, j.least) {
			return n.roomiest(j, could, among)
		}
		for m := range could {
			if size(m) == least && left > max(1, j.least) {
				out[m] = true
				left--
			}
		}
	}
}

// roomiest chooses the machines with room for most blocks, where nothing holds any machine that the job could use: more will not be free.
func (n *naiveSlurm) roomiest(j *plainJob, could []int, among []bool) (on, blocks []int) {
	var order []int
	for m := range could {
		if among[m] && n.mayHold(j, m) {
			if could[m] == 0 || n.processors[m] < n.allProcessors[m] {
				return nil, nil
			}
			order = append(order, m)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return could[b] - could[a] })
	for k := 1; k <= len(order); k++ {
		if j.most > 0 && k > j.most {
			break
		}
		if on, blocks := fillNaive(j, order[:k], could); on != nil {
			return on, blocks
		}
	}
	return nil, nil
}

// choose chooses machines run by run.
func (n *naiveSlurm) choose(j *plainJob, could []int, size func(m int) int) (on, blocks []int) {
	var runs [][]int
	for m := range could {
		switch {
		case size(m) == 0:
		case m > 0 && size(m-1) > 0 && n.weights[m] == n.weights[m-1]:
			runs[len(runs)-1] = append(runs[len(runs)-1], m)
		default:
			runs = append(runs, []int{m})
		}
	}
	left, machines := j.blocks, max(1, j.least)
	for len(runs) > 0 {
		best, bestEnough, bestFree := -1, false, 0
		for k, r := range runs {
			free := 0
			for _, m := range r {
				free += size(m)
			}
			enough := free >= left*j.block && len(r) >= machines
			better := best < 0
			if !better {
				w, v := n.weights[r[0]], n.weights[runs[best][0]]
				better = w < v || w == v && enough && (!bestEnough || free < bestFree) || w == v && !enough && free > bestFree
			}
			if better {
				best, bestEnough, bestFree = k, enough, free
			}
		}
		r := runs[best]
		runs = slices.Delete(runs, best, best+1)
		if machines <= 1 {
			one := -1
			for _, m := range r {
				if could[m] >= left && (one < 0 || size(m) < size(one)) {
					one = m
				}
			}
			if one >= 0 {
				r = []int{one}
			}
		}
		for _, m := range r {
			b := min(could[m], left-max(0, machines-1))
			last := j.most > 0 && len(on) == j.most-1
			if left == 0 && machines <= 0 || b <= 0 || j.most > 0 && len(on) == j.most || last && b < left {
				continue
			}
			on, blocks, left, machines = append(on, m), append(blocks, b), left-b, machines-1
		}
		if left == 0 && machines <= 0 {
			return on, blocks
		}
	}
	return nil, nil
}

// usable is the machines of a queue on which a part of the job fits when nothing runs.
func (n *naiveSlurm) usable(j *plainJob, within []bool) []bool {
	nodes := slices.Clone(within)
	for m := range nodes {
		nodes[m] = nodes[m] && n.mayHold(j, m)
	}
	return nodes
}

// mayHold says whether a part of the job fits the machine when nothing runs.
func (n *naiveSlurm) mayHold(j *plainJob, m int) bool {
	blocks := max(1, j.each)
	return j.nodes[m] && blocks*j.block <= n.allProcessors[m] && blocks*j.gpus <= n.allGPUs[m] && blocks*j.block*j.memory <= n.allMemory[m]
}

// weigh gives machines the weight that a test for the job leaves, if it needs GPUs: those that have the GPUs and memory of a part of it, if they are enough.
func (n *naiveSlurm) weigh(j *plainJob, machines []bool, gpus, memory []int) {
	var have []int
	for m, is := range machines {
		blocks := max(1, j.each)
		busy := slices.ContainsFunc(n.running, func(r *plainJob) bool { return slices.Contains(r.on, m) && n.processors[m] < n.allProcessors[m] })
		if is && j.gpus > 0 && blocks*j.gpus <= gpus[m] && blocks*j.block*j.memory <= memory[m] && !(j.alone && busy && &gpus[0] != &n.allGPUs[0]) {
			have = append(have, m)
		}
	}
	if len(have) >= max(1, j.least) {
		for _, m := range have {
			n.weights[m] = 255 - j.gpus
		}
	}
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
				nodes[m] = nodes[m] || n.mayHold(j, m)
			}
		}
	}
	return nodes
}

// neutral gives machines the weight that is no test's.
func (n *naiveSlurm) neutral(machines []bool) {
	for m, is := range machines {
		if is {
			n.weights[m] = 255
		}
	}
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
		all, left := n.usable(j, n.of(j.queue)), 0
		free := slices.Clone(all)
		for m, is := range all {
			free[m] = is && open[m]
			left += btoi(n.of(j.queue)[m] && open[m])
		}
		if left >= max(1, j.least) {
			n.neutral(all)
			n.weigh(j, free, n.gpus, n.memory)
			if on, _ := n.fit(j, free); on != nil {
				n.begins(j, on)
				continue
			}
			n.weigh(j, all, n.allGPUs, n.allMemory)
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

// rounded is a multiple of the resolution by the clock.
func (n *naiveSlurm) rounded(at float64) float64 {
	return math.Floor((at+n.zero)/n.Resolution)*n.Resolution - n.zero
}

func (n *naiveSlurm) cycle() {
	n.begin, n.end = n.rounded(n.now), n.rounded(n.now+n.Window)
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
		at, on := n.willRun(j, n.usable(j, avail))
		at = max(at, s)
		if on == nil || next > 0 && at > next {
			if next == 0 {
				return
			}
			continue
		}
		if at <= n.now {
			n.neutral(n.usable(j, within))
			n.weigh(j, n.usable(j, avail), n.gpus, n.memory)
			if on, _ = n.fit(j, n.usable(j, avail)); on != nil {
				n.begins(j, on)
				return
			}
			if next == 0 {
				return
			}
			continue
		}
		begin, end := n.rounded(at), n.rounded(at+j.estimate)
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
	machines := 0
	for _, is := range avail {
		machines += btoi(is)
	}
	if machines < max(1, j.least) {
		return 0, nil
	}
	n.weigh(j, avail, n.gpus, n.memory)
	if on, _ := n.fit(j, avail); on != nil {
		return n.now, on
	}
	ends := slices.Clone(n.running)
	slices.SortStableFunc(ends, func(a, b *plainJob) int {
		if at, bt := a.start+a.estimate, b.start+b.estimate; at != bt {
			return int(math.Copysign(1, at-bt))
		}
		return slices.Index(n.jobs, a) - slices.Index(n.jobs, b)
	})
	processors, gpus, memory, licences := slices.Clone(n.processors), slices.Clone(n.gpus), slices.Clone(n.memory), n.licences
	defer func() { n.processors, n.gpus, n.memory, n.licences = processors, gpus, memory, licences }()
	n.processors, n.gpus, n.memory = slices.Clone(processors), slices.Clone(gpus), slices.Clone(memory)
	meets := func(r *plainJob) bool { return slices.ContainsFunc(r.on, func(m int) bool { return avail[m] }) }
	end := func(r *plainJob) float64 { return r.start + r.estimate }
	until, width := math.NaN(), 30.0
	for len(ends) > 0 {
		var last *plainJob
		for len(ends) > 0 {
			next := ends[0]
			ends = ends[1:]
			if !meets(next) {
				continue
			}
			if math.IsNaN(until) {
				until = (math.Floor((end(next)+n.zero)/30)+1)*30 - n.zero
			}
			n.hold(next, 1)
			last = next
			if len(ends) > 0 && end(ends[0]) > until+width {
				break
			}
		}
		if last == nil {
			return 0, nil
		}
		n.weigh(j, avail, n.gpus, n.memory)
		width *= 2
		for len(ends) > 0 && end(ends[0]) > until+width {
			width *= 2
		}
		if on, _ := n.fit(j, avail); on != nil {
			if end(last) <= n.now {
				return n.now + n.step, on
			}
			return end(last), on
		}
	}
	return 0, nil
}

// drawSlurm draws a system and jobs, as the naive form and as an instance have them. deep: many jobs wait from early on, all are looked at, and most need one machine.
// equipped: every second job needs GPUs, most of these on several machines or alone. The first machines, as many as before, are in no queue.
func drawSlurm(t *testing.T, r *rand.Rand, deep, equipped bool, before int) (*naiveSlurm, *model.Instance) {
	nodes := before + 1 + r.IntN(6)
	if deep {
		nodes += 2 + r.IntN(5)
	}
	n := &naiveSlurm{Cycles: DefaultCycles(), step: 1, licences: 3}
	n.Interval, n.Resolution = []float64{1, 5, 30}[r.IntN(3)], []float64{1, 7, 60}[r.IntN(3)]
	n.Window = []float64{100, 1000, 86400}[r.IntN(3)]
	n.zero = []float64{0, 1, 59, 1.7e9 + 17.25}[r.IntN(4)] + 0.5*float64(r.IntN(2))
	n.Delay = []float64{0, 0.5, 3, 20}[r.IntN(4)]
	n.Depth, n.Tests = 1+r.IntN(8), 1+r.IntN(12)
	if r.IntN(3) == 0 {
		n.TestsUser = new(1 + r.IntN(3))
	}
	if r.IntN(3) == 0 {
		n.TestsQueue = new(1 + r.IntN(4))
	}
	jobs, late := 2+r.IntN(20), 200
	if deep {
		n.Window, n.Tests, n.step = []float64{1000, 86400}[r.IntN(2)], 1000, []float64{1, 4, 30}[r.IntN(3)]
		jobs, late = 15+r.IntN(35), 10
	}
	queues := map[string][]bool{}
	var machines []any
	for _, q := range []string{"a", "b"} {
		queues[q] = make([]bool, nodes)
	}
	for m := range nodes {
		features := []string{}
		for _, q := range []string{"a", "b"} {
			if m >= before && r.IntN(4) > 0 {
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
	for k := range jobs {
		q := []string{"a", "b"}[r.IntN(2)]
		j := &plainJob{id: fmt.Sprintf("j%d", k), arrival: float64(r.IntN(1 + r.IntN(late))), runtime: float64(1 + r.IntN(150)), block: 1 + r.IntN(3), blocks: 1 + r.IntN(4),
			memory: r.IntN(8), queue: q, user: fmt.Sprintf("u%d", r.IntN(3)), nodes: queues[q]}
		j.estimate = max(1, math.Floor(j.runtime*[]float64{1, 1, 1.5, 3, 0.6}[r.IntN(5)]))
		job := map[string]any{"id": j.id, "arrival": j.arrival, "work": j.runtime, "estimate": j.estimate, "queue": q, "user": j.user, "features": [][]string{{q}}}
		if r.IntN(3) == 0 || equipped && r.IntN(4) == 0 {
			j.gpus = 1 + r.IntN(2)
			job["resources"] = map[string]int{"gpu": j.gpus}
		}
		shape := r.IntN(5)
		if deep && r.IntN(3) > 0 {
			shape, j.block, j.blocks, j.memory = -1, j.block*j.blocks, 1, j.memory/4
		}
		if equipped && j.gpus > 0 {
			shape, j.block, j.blocks = 1+r.IntN(3), 1, j.block+j.blocks
		}
		switch shape {
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
	text, err := json.Marshal(map[string]any{"schema": "allot/instance/1", "time_zero": n.zero, "devices": []string{"gpu"}, "licences": map[string]int{"l": 3},
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
	step := race.Fewer(uint64(1), 3)
	for k := range 2700 / step {
		seed, before := step*k+2%step, 0 // of three seeds the last: 1157 is one
		if seed >= 2500 {                // sets of machines have several words
			before = 57 + 64*int(seed%2) + int(seed/2%8)
		}
		deep := seed >= 1000
		if deep {
			seed += 5000 // 6157: weights that looks before a plan leave behind matter
		}
		if fewMachines = few; seed%2 == 1 { // look at lists of all machines
			fewMachines = 0
		}
		r := rand.New(rand.NewPCG(seed, 36))
		n, in := drawSlurm(t, r, deep, seed >= 6500, before)
		n.jobs = slices.DeleteFunc(n.jobs, func(j *plainJob) bool {
			k, _ := in.JobIndex(j.id)
			return !in.CanRun(k, 0)
		})
		for _, j := range n.jobs {
			j.start = -1
		}
		if n.run(); len(n.queue) > 0 {
			t.Fatalf("seed %d: job %s never starts", seed, n.queue[0].id)
		}
		sol, _, err := sim.Simulate(context.Background(), in, Slurm(n.step, n.Cycles, Ranking{}), sim.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		starts, where := map[string]string{}, map[string]string{}
		for _, p := range sol.Jobs {
			starts[p.Job] = fmt.Sprint(p.Start)
			where[p.Job] = fmt.Sprint(machinesOf(in, p.Processors))
		}
		for _, j := range n.jobs {
			compared++
			if got, want := starts[j.id]+" on "+where[j.id], fmt.Sprint(j.start, " on ", j.on); got != want {
				t.Logf("%+v nodes %v %v %v", n.Cycles, n.allProcessors, n.gpus, n.memory)
				for _, j := range n.jobs {
					t.Logf("%s arr %g run %g est %g block %d×%d gpu %d mem %d least %d most %d each %d alone %v lic %d %s %s %v: naive %g %v, policy %s %s", j.id, j.arrival, j.runtime, j.estimate, j.blocks, j.block, j.gpus, j.memory, j.least, j.most, j.each, j.alone, j.licences, j.queue, j.user, j.nodes, j.start, j.on, starts[j.id], where[j.id])
				}
				t.Fatalf("seed %d: job %s starts at %s, expected %s", seed, j.id, got, want)
			}
		}
	}
	if compared < race.Fewer(10_000, 3_000) {
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
