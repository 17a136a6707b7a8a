package solvers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
	"github.com/allot-opt/allot/workload"
)

// brokered describes where a broker puts the jobs of the worked instance: two resources, fast (speed 2) and slow (speed 1).
func brokered(t *testing.T, set func(*solvers.Broker)) string {
	t.Helper()
	b := model.NewBuilder("broker").Cluster(solvecases.Machines("slow", 1, 1), solvecases.Machines("fast", 1, 2))
	for k, j := range [][3]float64{{0, 4, 9}, {0, 4, 3}, {0, 4, 3.5}, {1, 2, 2.5}} { // arrival, work, time until the hard deadline
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: j[0], Work: new(j[1]), Deadline: new(j[0] + j[2]), DeadlineHard: true})
	}
	in := solvecases.Built(t, b)
	result, err := solverstest.With(solve.Default[solvers.Broker](), set).Solve(context.Background(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Fatalf("violations: %v", report.Violations)
	}
	var list []string
	for _, p := range result.Solution.Jobs {
		list = append(list, fmt.Sprintf("%s %s %g-%g", p.Job, p.Cluster, p.Start, p.End))
	}
	for _, u := range result.Solution.Unscheduled {
		list = append(list, u.Job+" "+u.Reason)
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// The four ways of a broker, by hand. ASJS prefers fast, of more power. Jobs have no files.
//
//	own, keep:      j0 fast 0–2; j1 must end by 3: fast would end at 4, slow at 4: lost; j2 by 3.5: likewise lost; j3 by 3.5: fast 2–3
//	own, ignore:    all queue at fast: j0 0–2, j1 2–4 too late, j2 4–6 too late, j3 at 6–7 too late
//	central, keep:  j0 fast 0–2; at 0 slow is idle: j1 and j2 would end at 4, too late, they wait; at 1 neither can be saved by slow, and fast would
//	                end them at 3 at best: j1 (3) and j2 (3.5) wait; j3 arrives: slow 1–3; at 2 fast is idle: j1 until 4 is hopeless, j2 until 4 too
//	central, ignore: j0 fast 0–2; j1 slow 0–4 too late; at 2 j2 fast 2–4 too late; at 4 slow and fast are idle: j3 fast 4–5 too late
func TestBrokerByHand(t *testing.T) {
	asjs := func(queue, deadlines string) func(*solvers.Broker) {
		return func(b *solvers.Broker) { b.Rule, b.Queue, b.Deadlines = "asjs", queue, deadlines }
	}
	never := " when it arrived no resource could take it and meet its hard deadline"
	hopeless := " it waited at the broker until no resource could meet its hard deadline"
	for _, test := range []struct{ queue, deadlines, want string }{
		{"own", "keep", "j0 fast 0-2; j1" + never + "; j2" + never + "; j3 fast 2-3"},
		{"own", "ignore", "j0 fast 0-2; j1 it ran on fast until 4, after its hard deadline 3; j2 it ran on fast until 6, after its hard deadline 3.5; j3 it ran on fast until 7, after its hard deadline 3.5"},
		{"central", "keep", "j0 fast 0-2; j1" + hopeless + "; j2" + hopeless + "; j3 slow 1-3"},
		{"central", "ignore", "j0 fast 0-2; j1 it ran on slow until 4, after its hard deadline 3; j2 it ran on fast until 4, after its hard deadline 3.5; j3 it ran on fast until 5, after its hard deadline 3.5"},
	} {
		if got := brokered(t, asjs(test.queue, test.deadlines)); got != test.want {
			t.Errorf("%s, %s:\n%s\nwant\n%s", test.queue, test.deadlines, got, test.want)
		}
	}
	// Min-min with queues of their own: at 0 the least end is j0's on fast, 2; j1 and j2 then end at 4 on either, too late; j3 at 3 on both, the first is slow.
	minmin := brokered(t, func(*solvers.Broker) {})
	if want := "j0 fast 0-2; j1" + never + "; j2" + never + "; j3 slow 1-3"; minmin != want {
		t.Errorf("minmin:\n%s\nwant\n%s", minmin, want)
	}
	// Min-min by the execution time: j3 takes 1 on fast, where it waits until 2, and 2 on slow.
	shortest := brokered(t, func(b *solvers.Broker) { b.Rule = "shortest" })
	if want := "j0 fast 0-2; j1" + never + "; j2" + never + "; j3 fast 2-3"; shortest != want {
		t.Errorf("shortest:\n%s\nwant\n%s", shortest, want)
	}
}

// With a queue at each resource and a look at deadlines the broker does what the solvers do that plan in rounds, one for each moment of arrival.
func TestBrokerIsTheSolversInRounds(t *testing.T) {
	for rule, name := range map[string]string{"minmin": "minmin", "asjs": "asjs", "mrs": "mrs"} {
		for seed := range uint64(4) {
			w := workload.Default[workload.MTS]()
			w.Jobs, w.Rate, w.Resources, w.Q = 400, 20+10*float64(seed), 12+4*int(seed), 0.5
			in, err := w.Generate(seed + 1)
			if err != nil {
				t.Fatal(err)
			}
			q := 0.5 // in rounds the share of jobs with files would be that of the round
			choice, err := solve.Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			if s, ok := choice.Solver.(*solvers.ASJS); ok {
				s.Q = &q
			}
			rolling, err := solve.NewRolling(choice, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			want, err := rolling.Solve(t.Context(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := (&solvers.Broker{Rule: rule, Queue: "own", Deadlines: "keep", Q: &q}).Solve(t.Context(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if a, b := placedTexts(want.Solution), placedTexts(got.Solution); a != b {
				t.Errorf("%s, seed %d: the broker places\n%.300s\nin rounds\n%.300s", rule, seed+1, b, a)
			}
		}
	}
}

// placedTexts lists the placements of a solution by job.
func placedTexts(s *model.Solution) string {
	var list []string
	for _, p := range s.Jobs {
		list = append(list, fmt.Sprintf("%s %s %.9g-%.9g", p.Job, p.Cluster, p.Start, p.End))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// What the broker refuses is named as it is in the matrix of the solvers: several processors of a machine, not the memory that they share.
func TestTheBrokerNamesSeveralProcessors(t *testing.T) {
	memory := 2.0
	in := solvecases.Built(t, model.NewBuilder("shared").
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Memory: &memory}, {ID: "n", Speed: 2}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0), Memory: 1}, model.JobSpec{ID: "b", Work: new(1.0), Memory: 2}))
	err := solve.Default[solvers.Broker]().Supports(in)
	if !errors.Is(err, solve.ErrUnsupported) || !strings.Contains(err.Error(), "several equal processors in cluster c;") {
		t.Errorf("refused because of %v", err)
	}
}
