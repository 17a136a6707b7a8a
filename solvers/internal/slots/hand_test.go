package slots_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solvers/internal/slots"
)

// job is a task of a workflow with a mean, what it really needs, and what it waits for.
func job(id string, arrival, mean, work float64, workflow string, after ...string) model.JobSpec {
	return model.JobSpec{ID: id, Arrival: arrival, Estimate: &mean, Work: &work, Workflow: workflow, After: after}
}

// grid is machines of the given speeds, each with its speed as its cost, in one cluster, and workflows with a deadline and a budget each.
func grid(t *testing.T, speeds []float64, limits [][2]float64, jobs ...model.JobSpec) *model.Instance {
	t.Helper()
	cluster := model.ClusterSpec{ID: "c"}
	for k, speed := range speeds {
		cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", k), Speed: speed, Cost: speed})
	}
	b := model.NewBuilder("hand").Cluster(cluster).Job(jobs...)
	for k, l := range limits {
		b.Spec().Workflows = append(b.Spec().Workflows, model.WorkflowSpec{ID: fmt.Sprint("w", k), Deadline: new(l[0]), Budget: new(l[1])})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// outcome is a run in words: the placements by start, then what was left out.
func outcome(t *testing.T, in *model.Instance, d sim.Discipline) string {
	t.Helper()
	sol, _ := simulated(t, in, d)
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	slices.SortStableFunc(sol.Jobs, func(a, b model.Placement) int { return strings.Compare(a.Job, b.Job) })
	var words []string
	for _, p := range sol.Jobs {
		words = append(words, fmt.Sprintf("%s %v %v-%v", p.Job, p.Processors, p.Start, p.End))
	}
	slices.SortFunc(sol.Unscheduled, func(a, b model.Unscheduled) int { return strings.Compare(a.Job, b.Job) })
	for _, u := range sol.Unscheduled {
		words = append(words, u.Job+": "+u.Reason)
	}
	return strings.Join(words, "; ")
}

// Worked values, with k = 1 and no variation unless a case says otherwise.
func TestByHand(t *testing.T) {
	free := [2]float64{1e9, 1e9}
	varied := job("a", 0, 4, 4, "w0")
	varied.WorkCV = 0.5
	for _, c := range []struct {
		name      string
		speeds    []float64
		limits    [][2]float64
		jobs      []model.JobSpec
		static    string
		dynamic   string
		extending string // static, with overrun extend
	}{
		{
			// b's slot is [4, 6): a ends at 1, and static keeps b where it is; dynamic reserves b when it is ready, at 1.
			"a task ends early", []float64{1}, [][2]float64{free}, []model.JobSpec{job("a", 0, 4, 1, "w0"), job("b", 0, 2, 2, "w0", "a")},
			"a 0 0-1; b 0 4-6", "a 0 0-1; b 0 1-3", "a 0 0-1; b 0 4-6",
		},
		{
			// At 2 the gap [2, 4) that a has left holds c, of 2, before b's slot.
			"what is left of a slot is reserved by others", []float64{1}, [][2]float64{free, free},
			[]model.JobSpec{job("a", 0, 4, 1, "w0"), job("b", 0, 2, 2, "w0", "a"), job("c", 2, 2, 2, "w1")},
			"a 0 0-1; b 0 4-6; c 0 2-4", "a 0 0-1; b 0 1-3; c 0 3-5", "a 0 0-1; b 0 4-6; c 0 2-4",
		},
		{
			// a needs 3 and has 2. It is killed at 2, and b, which waits for it, goes too. With extend a's slot doubles, to [0, 4), and b's moves
			// to 4; a ends at 3 and b's slot moves forward to then, but not to 2, for which it was reserved.
			"a task outlives its slot", []float64{1}, [][2]float64{free}, []model.JobSpec{job("a", 0, 2, 3, "w0"), job("b", 0, 2, 2, "w0", "a")},
			"a: killed at the end of its time: started at 0, ended at 2; b: waits for job a, which is not placed",
			"a: killed at the end of its time: started at 0, ended at 2; b: waits for job a, which is not placed", "a 0 0-3; b 0 3-5",
		},
		{
			// a needs 3 and has 2. With extend a's slot doubles at 2, to [0, 4), and b's moves to 4; so c's is planned for 6, and it starts then.
			"a task arrives behind a slot that has doubled", []float64{1}, [][2]float64{free, free, free},
			[]model.JobSpec{job("a", 0, 2, 3, "w0"), job("b", 0, 2, 2, "w1"), job("c", 2.5, 1, 1, "w2")},
			"b 0 2-4; c 0 4-5; a: killed at the end of its time: started at 0, ended at 2",
			"b 0 2-4; c 0 4-5; a: killed at the end of its time: started at 0, ended at 2", "a 0 0-3; b 0 3-5; c 0 6-7",
		},
		{
			"a task ends with its slot", []float64{1}, [][2]float64{free}, []model.JobSpec{job("a", 0, 2, 2, "w0"), job("b", 0, 2, 2, "w0", "a")},
			"a 0 0-2; b 0 2-4", "a 0 0-2; b 0 2-4", "a 0 0-2; b 0 2-4",
		},
		{
			// The slot is 4·(1 + 1·0.5) = 6 long, so that b's begins at 6.
			"variation", []float64{1}, [][2]float64{free}, []model.JobSpec{varied, job("b", 0, 2, 2, "w0", "a")},
			"a 0 0-4; b 0 6-8", "a 0 0-4; b 0 4-6", "a 0 0-4; b 0 6-8",
		},
		{
			// 4 on the fast machine (speed 2) costs 2·2 = 4, on the slow one 4·1: the same. Then b, 2 after 2, waits for the fast one.
			"the slot that ends first", []float64{1, 2}, [][2]float64{free, free}, []model.JobSpec{job("a", 0, 4, 4, "w0"), job("b", 0, 2, 2, "w1"), job("c", 0, 6, 6, "w1")},
			"a 1 0-2; b 0 0-2; c 1 2-5", "a 1 0-2; b 0 0-2; c 1 2-5", "a 1 0-2; b 0 0-2; c 1 2-5",
		},
		{
			"a deadline that is just met, and one that is not", []float64{1}, [][2]float64{{2, 1e9}, {3, 1e9}}, []model.JobSpec{job("a", 0, 2, 2, "w0"), job("b", 0, 2, 2, "w1")},
			"a 0 0-2; b: the slot for task b that ends first ends at 4, 1 after the deadline 3 of workflow w1",
			"a 0 0-2; b: the slot for task b that ends first ends at 4, 1 after the deadline 3 of workflow w1",
			"a 0 0-2; b: the slot for task b that ends first ends at 4, 1 after the deadline 3 of workflow w1",
		},
		{
			// Static sees at once that the two cost 5, dynamic when b is ready.
			"a budget", []float64{1}, [][2]float64{{1e9, 4}}, []model.JobSpec{job("a", 0, 2, 2, "w0"), job("b", 0, 3, 3, "w0", "a")},
			"a: with the cheapest slot for task a the cost of workflow w0 is 5, 1 above the budget 4; b: waits for job a, which is not placed",
			"a 0 0-2; b: with the cheapest slot for task b the cost of workflow w0 is 5, 1 above the budget 4",
			"a: with the cheapest slot for task a the cost of workflow w0 is 5, 1 above the budget 4; b: waits for job a, which is not placed",
		},
		{
			// Static sees at the first of three tasks what all of them cost.
			"a budget of three tasks", []float64{1}, [][2]float64{{1e9, 8}}, []model.JobSpec{job("a", 0, 2, 2, "w0"), job("b", 0, 3, 3, "w0"), job("c", 0, 4, 4, "w0")},
			"a: with the cheapest slot for task a the cost of workflow w0 is 9, 1 above the budget 8; b: with the cheapest slot for task a the cost of workflow w0 is 9, 1 above the budget 8; c: with the cheapest slot for task a the cost of workflow w0 is 9, 1 above the budget 8",
			"a 0 0-2; b 0 2-5; c: with the cheapest slot for task c the cost of workflow w0 is 9, 1 above the budget 8",
			"a: with the cheapest slot for task a the cost of workflow w0 is 9, 1 above the budget 8; b: with the cheapest slot for task a the cost of workflow w0 is 9, 1 above the budget 8; c: with the cheapest slot for task a the cost of workflow w0 is 9, 1 above the budget 8",
		},
		{
			// What a really took is charged, not its slot: dynamic has 3 left for b.
			"what is paid is what was used", []float64{1}, [][2]float64{{1e9, 4}}, []model.JobSpec{job("a", 0, 2, 1, "w0"), job("b", 0, 3, 3, "w0", "a")},
			"a: with the cheapest slot for task a the cost of workflow w0 is 5, 1 above the budget 4; b: waits for job a, which is not placed",
			"a 0 0-1; b 0 1-4",
			"a: with the cheapest slot for task a the cost of workflow w0 is 5, 1 above the budget 4; b: waits for job a, which is not placed",
		},
		{
			"a budget of nothing, and a task of nothing", []float64{1}, [][2]float64{{1e9, 0}}, []model.JobSpec{job("a", 0, 0, 0, "w0")},
			"a 0 0-0", "a 0 0-0", "a 0 0-0",
		},
		{
			"a task of nothing that needs something", []float64{1}, [][2]float64{free}, []model.JobSpec{job("a", 0, 0, 3, "w0"), job("b", 0, 1, 1, "w0")},
			"b 0 0-1; a: killed at the end of its time: started at 0, ended at 0", "b 0 0-1; a: killed at the end of its time: started at 0, ended at 0", "a 0 0-3; b 0 3-4",
		},
		{
			"a deadline before the arrival", []float64{1}, [][2]float64{{3, 1e9}}, []model.JobSpec{job("a", 5, 1, 1, "w0")},
			"a: the slot for task a that ends first ends at 6, 3 after the deadline 3 of workflow w0",
			"a: the slot for task a that ends first ends at 6, 3 after the deadline 3 of workflow w0",
			"a: the slot for task a that ends first ends at 6, 3 after the deadline 3 of workflow w0",
		},
		{
			// a would end after the deadline, so static rejects the workflow, and b of it too, which arrives later and would fit.
			"a task that arrives after its workflow is rejected", []float64{1}, [][2]float64{{10, 1e9}}, []model.JobSpec{job("a", 0, 11, 11, "w0"), job("b", 1, 1, 1, "w0")},
			"a: the slot for task a that ends first ends at 11, 1 after the deadline 10 of workflow w0; b: task a of workflow w0 has been rejected",
			"b 0 1-2; a: the slot for task a that ends first ends at 11, 1 after the deadline 10 of workflow w0",
			"a: the slot for task a that ends first ends at 11, 1 after the deadline 10 of workflow w0; b: task a of workflow w0 has been rejected",
		},
		{
			// a is killed; b, which has arrived without it and waits for it, takes w1 along, so that c has no slot.
			"a workflow of which a task cannot run", []float64{1}, [][2]float64{free, free},
			[]model.JobSpec{job("a", 0, 2, 3, "w0"), job("b", 3, 1, 1, "w1", "a"), job("c", 3, 1, 1, "w1")},
			"a: killed at the end of its time: started at 0, ended at 2; b: waits for job a, which is not placed; c: task b of workflow w1 cannot run",
			"c 0 3-4; a: killed at the end of its time: started at 0, ended at 2; b: waits for job a, which is not placed",
			"a 0 0-3; b 0 3-4; c 0 4-5",
		},
		{
			// The workflows wait for each other: a (w0), b (w1), c (w0). They are given slots together.
			"workflows that wait for each other", []float64{1}, [][2]float64{free, free},
			[]model.JobSpec{job("a", 0, 1, 1, "w0"), job("b", 0, 1, 1, "w1", "a"), job("c", 0, 1, 1, "w0", "b")},
			"a 0 0-1; b 0 1-2; c 0 2-3", "a 0 0-1; b 0 1-2; c 0 2-3", "a 0 0-1; b 0 1-2; c 0 2-3",
		},
	} {
		in := grid(t, c.speeds, c.limits, c.jobs...)
		for _, run := range []struct {
			kind string
			d    sim.Discipline
			want string
		}{{"static", slots.Static(slots.Options{K: 1}), c.static}, {"dynamic", slots.Dynamic(slots.Options{K: 1}), c.dynamic}, {"extending", slots.Static(slots.Options{K: 1, Extend: true}), c.extending}} {
			if got := outcome(t, in, run.d); got != run.want {
				t.Errorf("%s, %s:\ngot  %s\nwant %s", c.name, run.kind, got, run.want)
			}
		}
	}
}

// explained notes what a policy says of jobs.
type explained struct {
	starts
	policy  sim.Policy
	reasons map[string][]sim.Reason
}

func (e *explained) Watch(_ *sim.Platform, policy sim.Policy) { e.policy = policy }
func (e *explained) Started(now float64, j *sim.Job, parts []sim.Part) {
	e.reasons[j.Request.ID] = e.policy.(sim.Explainer).Explain(j)
}

func (e *explained) Left(_ float64, j *sim.Job, outcome sim.Outcome, _ string) {
	if outcome == sim.Dropped {
		e.reasons[j.Request.ID] = e.policy.(sim.Explainer).Explain(j)
	}
}

// The policy says which slot a task has, and why a workflow is rejected: the deadline or the budget, and by how much.
func TestExplain(t *testing.T) {
	in := grid(t, []float64{1}, [][2]float64{{1e9, 10}, {5, 1e9}, {1e9, 3}}, job("a", 0, 4, 4, "w0"), job("b", 0, 2, 2, "w1"), job("c", 0, 5, 5, "w2"))
	seen := &explained{reasons: map[string][]sim.Reason{}}
	if _, _, err := sim.Simulate(context.Background(), in, slots.Static(slots.Options{K: 1}), sim.Options{Observer: seen}); err != nil {
		t.Fatal(err)
	}
	for job, want := range map[string]string{
		"a": "[{slot slot [0, 4) on processor 0 of cluster c, which ends first of all slots within the budget [{start 0} {end 4} {length 4} {cost 4} {budget_left 6}]}]",
		"b": "[{deadline the slot for task b that ends first ends at 6, 1 after the deadline 5 of workflow w1 [{end 6} {deadline 5} {over 1}]}]",
		"c": "[{budget with the cheapest slot for task c the cost of workflow w2 is 5, 2 above the budget 3 [{cost 5} {budget 3} {over 2}]}]",
	} {
		if got := fmt.Sprint(seen.reasons[job]); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", job, got, want)
		}
	}
}

// Length is eq. 23's numerator over the speed: 20,000 MI at 10,000 MIPS with a CV of 0.6 and k = 1.645 take 2·(1 + 0.987) = 3.974 s.
func TestLength(t *testing.T) {
	if got := slots.Length(2, 0.6, 1.645); got < 3.974-1e-12 || got > 3.974+1e-12 {
		t.Errorf("%v, expected 3.974", got)
	}
	if got := slots.Length(7, 0, 5); got != 7 {
		t.Errorf("%v without variation, expected the mean", got)
	}
}
