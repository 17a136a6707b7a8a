package muscle

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/internal/kit"
)

// CompositionTable is MUSCLE's composition table (He et al. 2004, §4.1, algorithm 1, Table 2) of jobs in queue order; sizes are their numbers of
// processors. Row r, from 0 to largest, lists the compositions that fill a space of r processors exactly. A composition lists its jobs by
// number, from 0, in the order of the paper. A job larger than largest is in no composition. [Solver] builds the same table. O(n²·largest) at
// most for n jobs.
func CompositionTable(sizes []int, largest int) ([][][]int, error) {
	if largest < 1 || largest > math.MaxInt32 {
		return nil, fmt.Errorf("largest: expected 1 to %d, found %d", math.MaxInt32, largest)
	}
	var small []int32
	var jobs []int
	for j, s := range sizes {
		if s < 1 {
			return nil, fmt.Errorf("sizes[%d]: expected at least 1, found %d", j, s)
		}
		if s <= largest {
			small, jobs = append(small, int32(s)), append(jobs, j)
		}
	}
	table := newCompositionTable(small, largest, kit.NewPoll(context.Background()))
	table.build()
	rows := make([][][]int, largest+1)
	for r, row := range table.contents() {
		for _, composition := range row {
			named := make([]int, len(composition))
			for k, head := range composition {
				named[k] = jobs[head]
			}
			rows[r] = append(rows[r], named)
		}
	}
	return rows, nil
}

// contents lists the jobs of the compositions by row.
func (t *compositionTable) contents() [][][]int {
	rows := make([][][]int, len(t.rows))
	for r, row := range t.rows {
		if row == nil {
			continue
		}
		for _, n := range row.list {
			rows[r] = append(rows[r], t.jobs(n))
		}
	}
	return rows
}

// jobs lists the jobs of the composition numbered n.
func (t *compositionTable) jobs(n uint32) []int {
	var jobs []int
	for n > 0 {
		c := t.at(n)
		jobs, n = append(jobs, int(c.head)), c.rest
	}
	return jobs
}
