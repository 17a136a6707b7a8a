package muscle

import (
	"slices"
	"sort"

	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
)

// cluster is what MUSCLE knows of one cluster.
type cluster struct {
	index      int
	kind       int // see packing.sizes
	processors int
	now        float64             // t: the earliest release time
	free       []model.Range       // longest runs of processors free at t, ascending
	busy       queue.Heap[release] // the others
	closed     bool                // no job of the batch that is left fits

	due                  bool // some job of the batch has a deadline
	jobs                 int  // p
	times, sizes, slacks float64
	epsilon              float64

	shelf    int     // on the current shelf: the first free processor
	shelfEnd float64 // and the last end
}

// begin sets the cluster up for a batch that is complete at c.now. released says by processor until when earlier jobs hold it; nil: none is held.
func (c *cluster) begin(released []float64) {
	if released == nil {
		c.free = []model.Range{{First: 0, Last: c.processors - 1}}
		return
	}
	for p := 0; p < c.processors; {
		run := model.Range{First: p, Last: p}
		for p++; p < c.processors && released[p] == released[run.First]; p++ {
			run.Last = p
		}
		c.busy = append(c.busy, release{released[run.First], run})
	}
	c.busy.Init()
	c.settle()
}

// hold counts what is left of a piece of an earlier job when the batch is complete. Its slack is that of eq. 3: what it has waited does not lessen it.
func (c *cluster) hold(h model.Hold, piece model.HoldPiece, complete float64) {
	if left := piece.End - max(h.Start, complete); left > 0 {
		c.add(left, piece.Processors.Len(), slack(h.Job, h.Job.Arrival, piece.End-h.Start))
	}
}

// add counts a job and brings ε up to date (eq. 3).
func (c *cluster) add(length float64, size int, slack float64) {
	const leastSlack = 1e-9
	c.jobs++
	c.times += length
	c.sizes += float64(size)
	if c.slacks += slack; !c.due {
		c.slacks = float64(c.jobs) * float64(c.jobs)
	}
	c.epsilon = float64(c.jobs) * c.times * c.sizes / (max(c.slacks, leastSlack) * float64(c.processors))
}

// settle moves t on to the earliest release time and frees what is released by then.
func (c *cluster) settle() {
	if len(c.free) == 0 {
		c.now = max(c.now, c.busy[0].at)
	}
	for len(c.busy) > 0 && c.busy[0].at <= c.now {
		c.release(c.busy.Pop().set)
	}
}

// wait holds the processors free at t until the next release; a cluster that is all free closes.
func (c *cluster) wait() {
	if len(c.busy) == 0 {
		c.closed = true
		return
	}
	c.now = c.busy[0].at
	c.settle()
}

// release adds a run of processors to the free ones and merges it with its neighbours.
func (c *cluster) release(r model.Range) {
	k := sort.Search(len(c.free), func(k int) bool { return c.free[k].First > r.First })
	if k > 0 && c.free[k-1].Last+1 == r.First {
		k--
		r.First = c.free[k].First
		c.free = slices.Delete(c.free, k, k+1)
	}
	if k < len(c.free) && r.Last+1 == c.free[k].First {
		c.free[k].First = r.First
		return
	}
	c.free = slices.Insert(c.free, k, r)
}

// openShelf starts the first shelf behind everything on the cluster.
func (c *cluster) openShelf() {
	for _, b := range c.busy {
		c.now = max(c.now, b.at)
	}
	c.shelf, c.shelfEnd = 0, c.now
}

// shelfStart is when a job of the size would start.
func (c *cluster) shelfStart(size int) float64 {
	if c.shelf+size > c.processors {
		return c.shelfEnd
	}
	return c.now
}

// release says when a run of processors is free again.
type release struct {
	at  float64
	set model.Range
}

// Before implements [queue.Item].
func (r release) Before(other release) bool { return r.at < other.at }
