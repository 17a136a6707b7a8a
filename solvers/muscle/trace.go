package muscle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// The rules of the steps that MUSCLE states, see [solve.Step]. The first five say why a cluster is next.
const (
	ruleOnly     = "only open cluster"
	ruleEarliest = "earliest space"  // reading b
	ruleLoad     = "least load"      // ε, the load by slack (eq. 3)
	ruleWidest   = "most processors" // a tie
	ruleDrawn    = "drawn"           // a tie of this too
	ruleTable    = "composition table"
	ruleWait     = "wait"
	ruleClose    = "close"
	ruleShelf    = "shelf"
)

// tabled is the number of compositions up to which the steps list the table.
const tabled = 200

// tellTable states the composition table of a batch, row by row where it is small.
func (run *packing) tellTable(t *batchTable) {
	batch := t.jobs
	order := "arrival"
	if run.Queue == "edd" {
		order = "deadline"
	}
	compositions := int(t.size) - 1
	step := solve.Step{At: run.clusters[0].now, Reason: sim.Reason{Rule: ruleTable,
		Text:  fmt.Sprintf("of the jobs in order of %s; row r lists the compositions, groups of jobs that fill a space of r processors exactly", order),
		Terms: []sim.Term{{Name: "jobs", Value: float64(len(batch))}, {Name: "rows", Value: float64(len(t.rows) - 1)}, {Name: "compositions", Value: float64(compositions)}}}}
	if compositions > tabled {
		run.trace(step)
		return
	}
	for _, j := range batch {
		step.Jobs = append(step.Jobs, run.in.Jobs()[j].ID)
	}
	run.trace(step)
	for r, row := range t.contents() {
		if len(row) == 0 {
			continue
		}
		text, stand := new(strings.Builder), []string(nil)
		fmt.Fprintf(text, "row %d:", r)
		for _, jobs := range row {
			text.WriteString(" " + run.composition(jobs, batch))
			for _, job := range jobs {
				if id := run.in.Jobs()[batch[job]].ID; !slices.Contains(stand, id) {
					stand = append(stand, id)
				}
			}
		}
		run.trace(solve.Step{At: step.At, Reason: sim.Reason{Rule: ruleTable, Text: text.String()}, Jobs: stand})
	}
}

// composition writes a composition as the paper does.
func (run *packing) composition(jobs, batch []int) string {
	var ids []string
	for _, job := range jobs {
		ids = append(ids, run.in.Jobs()[batch[job]].ID)
	}
	return "(" + strings.Join(ids, ", ") + ")"
}

// turn is a step that says why it is the turn of the cluster, with what was compared of all clusters.
func (run *packing) turn(c *cluster) solve.Step {
	id := run.in.Clusters()[c.index].ID
	step := solve.Step{At: c.now, Score: "ε"}
	left := make([]*cluster, 0, len(run.clusters))
	for k := range run.clusters {
		other := &run.clusters[k]
		score := solve.Score{Cluster: run.in.Clusters()[k].ID, Value: new(other.epsilon), Chosen: other == c, Terms: []sim.Term{{Name: "p", Value: float64(other.jobs)}, {Name: "etSum", Value: other.times},
			{Name: "sizeSum", Value: other.sizes}, {Name: "slkSum", Value: other.slacks}, {Name: "m", Value: float64(other.processors)}, {Name: "t", Value: other.now}}}
		if other.closed {
			score.Why = "closed"
		} else {
			left = append(left, other)
		}
		step.Scores = append(step.Scores, score)
	}
	if len(left) == 1 {
		step.Rule, step.Text = ruleOnly, id+" is next: it is the only cluster that a job left may fit"
		return step
	}
	among := "of all clusters "
	for _, criterion := range []struct {
		rule, text, equal string
		of                func(c *cluster) float64 // the cluster of the least is next
		off               bool
	}{
		{ruleEarliest, "its space is the earliest", "of those with the earliest space ", func(c *cluster) float64 { return c.now }, run.Reading != "b"},
		{ruleLoad, "its ε is the least", "of those with the least ε ", func(c *cluster) float64 { return c.epsilon }, false},
		{ruleWidest, "it has the most processors", "of those with the most processors ", func(c *cluster) float64 { return -float64(c.processors) }, false},
	} {
		if criterion.off {
			continue
		}
		left = slices.DeleteFunc(left, func(other *cluster) bool { return cmp.Compare(criterion.of(other), criterion.of(c)) > 0 })
		if len(left) == 1 {
			step.Rule, step.Text = criterion.rule, id+" is next: "+among+criterion.text
			return step
		}
		among = criterion.equal
	}
	step.Rule, step.Text = ruleDrawn, id+" is next: "+among+"it was drawn"
	return step
}

// filling is the step that fills a space, before its jobs are placed.
func (run *packing) filling(c *cluster, space model.Range, table *batchTable) *solve.Step {
	t, batch := table.compositionTable, table.jobs
	step := run.turn(c)
	step.Terms = []sim.Term{{Name: "r", Value: float64(space.Len())}, {Name: "cp", Value: float64(space.First)}, {Name: "filled", Value: float64(t.row)}}
	text := new(strings.Builder)
	fmt.Fprintf(text, ". Its space has %s, from number %d on", numtext.Counted(space.Len(), "processor"), space.First)
	if t.row < space.Len() {
		fmt.Fprintf(text, "; no jobs are found for all of them, but for %d", t.row)
	}
	fmt.Fprintf(text, ". In row %d ", t.row)
	source := run.composition(t.jobs(t.source), batch)
	if t.taken == 0 {
		fmt.Fprintf(text, "the first composition without a placed job is %s", source)
	} else {
		fmt.Fprintf(text, "the composition with the fewest placed jobs is %s; Algorithm 2 puts others in their place", source)
	}
	step.Text += text.String()
	return &step
}

// tellFilled tells of a space whose jobs are placed now.
func (run *packing) tellFilled(step *solve.Step, found []int32, batch []int) {
	for _, job := range found {
		step.Placed = append(step.Placed, run.placed[batch[job]])
	}
	run.trace(*step)
}

// tellWait tells of a cluster in which no space can be filled, before it waits or closes.
func (run *packing) tellWait(c *cluster) {
	step := run.turn(c)
	if step.Rule = ruleClose; len(c.busy) == 0 {
		step.Text += ". It is all free, and every job left is wider: it closes"
	} else {
		step.Rule = ruleWait
		step.Text += fmt.Sprintf(". No job left fits its free processors (%s): they wait for its next release, at %.6g", model.ProcessorSet(c.free), c.busy[0].at)
	}
	run.trace(step)
}

// tellShelved tells of a job that was placed after the end of the context.
func (run *packing) tellShelved(job int) {
	p := run.placed[job]
	run.trace(solve.Step{At: p.Start, Reason: sim.Reason{Rule: ruleShelf, Text: fmt.Sprintf("the run was stopped: %s goes behind the others on %s", p.Job, p.Cluster)}, Placed: []model.Placement{p}})
}
