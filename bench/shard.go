package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/queue"
)

// Shard is part K of the N parts that the cells of a plan are dealt to, so that N programs, on as many hosts, run them all. K counts from 1. The
// zero value is the only part of one: the whole plan.
type Shard struct{ K, N int }

// mostShards is the largest number of parts.
const mostShards = 1_000_000

// whole reports whether the shard is the whole plan.
func (s Shard) whole() bool { return s.N <= 1 }

// String writes the shard as K/N. It is empty for the whole plan.
func (s Shard) String() string {
	if s.whole() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.K, s.N)
}

// ParseShard reads a shard. The text is K/N; or /N, if the engine that runs the program states K in an environment variable; or auto, if the
// engine states K and N. The variables are read in this order: HQ_TASK_ID (HyperQueue, whose workers may be tasks of another engine themselves),
// JOB_COMPLETION_INDEX (Kubernetes, from 0), SLURM_ARRAY_TASK_ID (Slurm), PBS_ARRAY_INDEX (PBS). Only Slurm states N.
func ParseShard(text string, getenv func(string) string) (Shard, error) {
	if text == "auto" {
		return engineShard(0, getenv)
	}
	first, last, found := strings.Cut(text, "/")
	n, err := strconv.Atoi(last)
	if !found || err != nil || n < 1 || n > mostShards {
		return Shard{}, fmt.Errorf("expected K/N, /N or auto, with N from 1 to %d, found %q", mostShards, text)
	}
	if first == "" {
		return engineShard(n, getenv)
	}
	k, err := strconv.Atoi(first)
	if err != nil || k < 1 || k > n {
		return Shard{}, fmt.Errorf("expected K/N, with K from 1 to N = %d, found %q", n, text)
	}
	return Shard{k, n}, nil
}

// engineShard is the shard of n that the engine names; n = 0: the engine says how many there are.
func engineShard(n int, getenv func(string) string) (Shard, error) {
	for _, name := range []string{"HQ_TASK_ID", "JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX"} {
		text := getenv(name)
		if text == "" {
			continue
		}
		k, err := strconv.Atoi(text)
		if err != nil {
			return Shard{}, fmt.Errorf("%s: expected a whole number, found %q", name, text)
		}
		switch {
		case name == "JOB_COMPLETION_INDEX":
			k++
		case name == "SLURM_ARRAY_TASK_ID" && n == 0:
			return slurmShard(k, getenv)
		}
		if n == 0 {
			return Shard{}, fmt.Errorf("%s states shard %s, but nothing states the number of shards; give --shard /N", name, text)
		}
		if k < 1 || k > n {
			return Shard{}, fmt.Errorf("%s: expected a task of %d, found %s; number the tasks as the documentation does, or give --shard K/%d", name, n, text, n)
		}
		return Shard{k, n}, nil
	}
	return Shard{}, fmt.Errorf("expected one of HQ_TASK_ID, JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID and PBS_ARRAY_INDEX in the environment, found none; give --shard K/N")
}

// slurmShard is the shard of task id of a job array of Slurm, which may begin anywhere and have steps, but no gaps: Slurm does not say which
// tasks an array with gaps has.
func slurmShard(id int, getenv func(string) string) (Shard, error) {
	values := map[string]int{}
	for _, name := range []string{"COUNT", "MIN", "MAX", "STEP"} {
		full := "SLURM_ARRAY_TASK_" + name
		value, err := strconv.Atoi(getenv(full))
		if err != nil && (name != "STEP" || getenv(full) != "") {
			return Shard{}, fmt.Errorf("%s: expected a whole number, found %q; give --shard K/N", full, getenv(full))
		}
		values[name] = value
	}
	step := max(1, values["STEP"])
	k, off := (id-values["MIN"])/step+1, (id-values["MIN"])%step
	count := values["COUNT"]
	if off != 0 || k < 1 || k > count || (values["MAX"]-values["MIN"])/step+1 != count || count > mostShards {
		return Shard{}, fmt.Errorf("SLURM_ARRAY_TASK_ID: expected a task of an array without gaps, found task %d of %d from %d to %d; give --shard K/N", id, count, values["MIN"], values["MAX"])
	}
	return Shard{k, count}, nil
}

// Share returns the indices of the plan's cells that the shard runs, in the order of the plan. It depends only on the cells, so it is the same on
// every host.
func (p *Plan) Share(s Shard) []int {
	if s.whole() {
		all := make([]int, len(p.Cells))
		for place := range all {
			all[place] = place
		}
		return all
	}
	return p.Deal(s.N)[s.K-1]
}

// cost is what a cell is expected to take. A suite limits the time or the evaluations of each run; runs of equal limits cost by their size.
type cost struct{ limit, size float64 }

// compare is below 0 where c is less.
func (c cost) compare(d cost) int {
	return cmp.Or(cmp.Compare(c.limit, d.limit), cmp.Compare(c.size, d.size))
}

// cost returns the expected cost of the cell at the index.
func (p *Plan) cost(place int) cost {
	cell := &p.Cells[place]
	limit := cell.Budget.Time
	if limit == 0 {
		limit = float64(cell.Budget.Evaluations)
	}
	return cost{limit, float64(p.Instances[cell.Instance].Jobs)}
}

// heaviest returns the indices of the plan's cells, the most costly first, and cells of the same cost in the order of the plan.
func (p *Plan) heaviest() []int {
	order := p.Share(Shard{})
	slices.SortStableFunc(order, func(a, b int) int { return p.cost(b).compare(p.cost(a)) })
	return order
}

// Deal returns the shares of n shards. It deals the most costly cells first, each to the shard that has the least so far, of several the first.
func (p *Plan) Deal(n int) [][]int {
	hands := make(queue.Heap[hand], n) // the one with the least load first
	for k := range hands {
		hands[k].number = k
	}
	for _, place := range p.heaviest() {
		least, c := &hands[0], p.cost(place)
		least.cells = append(least.cells, place)
		least.load = cost{least.load.limit + c.limit, least.load.size + c.size}
		hands.Fix(0)
	}
	dealt := make([][]int, n)
	for _, h := range hands {
		slices.Sort(h.cells)
		dealt[h.number] = h.cells
	}
	return dealt
}

// hand holds the cells dealt to one shard, and their total cost.
type hand struct {
	number int
	load   cost
	cells  []int
}

// Before implements [queue.Item].
func (h hand) Before(other hand) bool {
	return cmp.Or(h.load.compare(other.load), h.number-other.number) < 0
}

// Tasks suggests how many shards to run a plan in: few long ones, as each has to start and make its instances. With a limit of time, each takes
// about half an hour, else there are 16; never more than most, nor than there are cells.
func (p *Plan) Tasks(most int) int {
	const half, few, many = 1800, 16, 100
	n := few
	if limit := p.Suite.Budget.Time; limit > 0 {
		n = int(min(many, math.Ceil(limit*float64(len(p.Cells))/half)))
	}
	return max(1, min(n, most, len(p.Cells)))
}
