package solve_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// inertBatch is a batch of six jobs on a cluster of three machines, with the inert additions of the names; each job holds devices, and each machine has one.
func inertBatch(t *testing.T, devices float64, names ...string) *model.Instance {
	t.Helper()
	b := model.NewBuilder("inert").Minimise("makespan", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 3, Processors: 2, Resources: map[string]float64{"gpu": devices}}}})
	b.Spec().Devices = []string{"gpu"}
	for k, id := range []string{"a", "b", "c", "d", "e", "f"} {
		b.Job(model.JobSpec{ID: id, Work: new(float64(k + 1)), Resources: map[string]float64{"gpu": devices}})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var list []testkit.Addition
	for _, a := range testkit.Inert() {
		if slices.Contains(names, a.Name) {
			list = append(list, a)
		}
	}
	more := testkit.With(in, list...)
	if more == nil || len(list) != len(names) {
		t.Fatalf("no instance with %q", names)
	}
	return more
}

// witness is a solver that notes the instance that it gets.
type witness struct {
	solve.Solver
	in    *model.Instance
	start *model.Solution
}

func (w *witness) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	w.in, w.start = in, opt.Start
	return w.Solver.Solve(ctx, in, opt)
}

// asStated is a witness that asks for the instance as it is stated.
type asStated struct{ witness }

func (*asStated) AsStated() {}

// A solver gets the reduced instance; start, steps, progress and result name the machines of the stated one. Devices are named by machine, so that the names differ.
func TestPresolveRestores(t *testing.T) {
	t.Parallel()
	in := inertBatch(t, 1, "equal machines named one by one", "memory that never runs short")
	first, err := solve.Run(t.Context(), solve.With(&solvers.MinMin{}), in, solve.Options{Stated: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{Solver: solve.Default[solvers.Search]()}
	told := 0
	opt := solve.Options{Seed: 1, MaxEvals: 200, Strict: true, Start: first.Solution, Progress: func(p solve.Progress) {
		if p.Schedule == nil {
			return
		}
		told++
		if report := model.Check(in, solve.Bare(p.Schedule())); !report.OK() {
			t.Errorf("progress: %v", report.Violations)
		}
	}}
	result, err := solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "witness", Starts: true}, Solver: w}, in, opt)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.in.Clusters()[0].Machines); n != 1 || told == 0 || w.in.Features().Has(model.MemoryLimits) {
		t.Errorf("the solver got %d groups of machines and %v; progress was told %d times", n, w.in.Features(), told)
	}
	if report := model.Check(w.in, solve.Bare(w.start)); !report.OK() {
		t.Errorf("start: %v", report.Violations)
	}
	if report := model.Check(in, result.Solution); !report.OK() || result.Status != model.Optimal {
		t.Errorf("%s: %v", result.Status, report.Violations)
	}
	placed := 0
	traced, err := solve.Run(t.Context(), solve.With(&solvers.MinMin{}), in, solve.Options{Strict: true, Trace: func(s solve.Step) {
		for k := range s.Placed {
			for machine := range s.Placed[k].Devices["gpu"] {
				if placed++; !slices.ContainsFunc(in.Clusters()[0].Machines, func(m model.Machine) bool { return m.Name(0) == machine }) {
					t.Errorf("step %d names machine %s", s.Number, machine)
				}
			}
		}
	}})
	if err != nil || placed != 6 || len(traced.Solution.Jobs) != 6 {
		t.Errorf("%d devices in the steps; %v", placed, err)
	}
}

// Who asks for it gets the instance as it is stated: by the options, by the solver, in a chain with such a solver, and by a policy that looks at what cannot bind.
func TestPresolveAsStated(t *testing.T) {
	t.Parallel()
	in := inertBatch(t, 1, "memory that never runs short")
	stated := &asStated{witness{Solver: &solvers.MinMin{}}}
	choice := solve.Choice{Info: solve.Info{Name: "stated"}, Solver: stated}
	if _, err := solve.Run(t.Context(), choice, in, solve.Options{}); err != nil || stated.in != in {
		t.Errorf("the solver got another instance; %v", err)
	}
	chain := solve.Chain{choice, solve.With(solve.Default[solvers.Search]())}
	if reduced, _ := solve.NewPresolver(in).For(chain, false); reduced != in {
		t.Error("the chain gets another instance")
	}
	for name, reduces := range map[string]bool{
		"minmin": true, "minmin:place=best": false, "search": true, "easy": true, "backfill": false, "easy:order=slurm": false, "easy:order=sjf": true, "easy:place=best": false,
		"minmin:rolling_period=2": true, "easy:price_budget=0.1": false, "minmin+search": true,
	} {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		if reduced, _ := solve.NewPresolver(in).For(choice.Solver, false); (reduced != in) != reduces {
			t.Errorf("%s: reduced %t", name, reduced != in)
		}
		if reduced, back := solve.NewPresolver(in).For(choice.Solver, true); reduced != in || !back.Keeps() {
			t.Errorf("%s: reduced although nobody asks for it", name)
		}
	}
}

// A solver that goes by the objective sees no deadline that it does not count, one that orders jobs by deadlines all of them, and a chain what all its stages see.
func TestPresolveByObjective(t *testing.T) {
	t.Parallel()
	in, err := model.NewBuilder("deadlines").Minimise("makespan", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0), Deadline: new(0.5)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for name, sees := range map[string]bool{
		"auto": false, "search": false, "exact": false, "edd": true, "muscle": false, "muscle:queue=edd": true, "edd+search": true, "search+exact": false, "muscle+search": false, "flexible": true,
		"search:rolling_period=2": true, "muscle:rolling_period=2": true,
	} {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		reduced, _ := solve.NewPresolver(in).For(choice.Solver, false)
		if jobs := reduced.Jobs(); jobs[0].HasDeadline() != sees {
			t.Errorf("%s: sees the deadline %t", name, !sees)
		}
	}
}

// A presolver reduces its instance once for all solvers that need the same of it, and a run takes it from there, but not that of another instance.
func TestPresolverReducesOnce(t *testing.T) {
	t.Parallel()
	in, other := inertBatch(t, 1, "memory that never runs short"), inertBatch(t, 2, "memory that never runs short")
	presolver := solve.NewPresolver(in)
	of := func(name string) *model.Instance {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := presolver.Supports(choice.Solver, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		reduced, _ := presolver.For(choice.Solver, false)
		return reduced
	}
	if offLine, onLine, scoring := of("minmin"), of("easy"), of("minmin:place=best"); offLine != of("search") || onLine != of("conservative") || offLine == onLine || scoring != in || offLine == in || onLine == in {
		t.Error("solvers that need the same get different instances, or others the same")
	}
	for _, of := range []*model.Instance{in, other} {
		w := &witness{Solver: &solvers.MinMin{}}
		result, err := solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "witness"}, Solver: w}, of, solve.Options{Presolver: presolver, Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		if reduced, _ := presolver.For(&solvers.MinMin{}, false); (w.in == reduced) != (of == in) || result.Solution.InstanceSHA256 != of.SHA256() {
			t.Errorf("the run got the reduced form of another instance, or made its own again: of the presolver %t", of == in)
		}
	}
}

// late starts all jobs one after another from a time on, in the order of the instance.
type late struct {
	from  float64
	asked int
}

func (*late) Supports(*model.Instance) error { return nil }

func (l *late) Solve(_ context.Context, in *model.Instance, _ solve.Options) (solve.Result, error) {
	l.asked++
	at := l.from
	for c := range in.Clusters() { // it waits for the end of what is closed
		for g := range in.Clusters()[c].Machines {
			for _, closed := range in.Clusters()[c].Machines[g].Closed() {
				at = max(at, closed.To)
			}
		}
	}
	sol := &model.Solution{}
	for j := range in.Jobs() {
		end := at + in.DurationOn(j, 0, 1)
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: in.Clusters()[0].ID, Processors: model.Processors(0), Start: at, End: end})
		at = end
	}
	return solve.Result{Solution: sol, Status: model.Feasible}, nil
}

// A solver that starts jobs later than it has to, into closed times that were left out, runs again on the instance as it is stated.
func TestPresolveLate(t *testing.T) {
	t.Parallel()
	b := model.NewBuilder("late").Minimise("makespan", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Closed: []model.ClosedSpec{{From: 1000, To: new(2000.0)}}}}})
	in, err := b.Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(2.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for from, runs := range map[float64]int{0: 1, 999: 2} {
		l := &late{from: from}
		result, err := solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "late"}, Solver: l}, in, solve.Options{Strict: true})
		if err != nil || l.asked != runs || result.Warning != "" {
			t.Errorf("from %v: %d runs, %q, %v", from, l.asked, result.Warning, err)
		}
	}
}

// Certificates are of the instance as it is stated, whatever the solver proves of the reduced one.
func TestPresolveCertifies(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"auto", "exact", "search"} {
		for _, addition := range []string{"memory that never runs short", "bandwidths that no job uses", "equal machines named one by one", "closed times after all jobs"} {
			choice, err := solve.Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			in := inertBatch(t, 0, addition)
			result, err := solve.Run(t.Context(), choice, in, solve.Options{Seed: 1, MaxEvals: 500, Strict: true, Certify: true})
			if err != nil || result.Certificate == nil || result.Certificate.InstanceSHA256 != in.SHA256() || result.Status != model.Optimal {
				t.Errorf("%s with %s: %s, %+v, %v", name, addition, result.Status, result.Certificate, err)
			}
		}
	}
}

// Whatever the presolve leaves out, the figures that are shown are those of the stated instance: objective, metrics and certificate of the result, and the objective of each progress.
func TestPresolveShowsStated(t *testing.T) {
	t.Parallel()
	additions := map[string]bool{}
	for _, a := range testkit.Inert() {
		if a.Rule == "" || testkit.With(inertBatch(t, 0), a) == nil {
			continue
		}
		in := inertBatch(t, 0, a.Name)
		for _, name := range []string{"search", "minmin", "easy"} {
			choice, err := solve.Choose(name)
			if err != nil {
				t.Fatal(err)
			}
			opt := solve.Options{Seed: 1, MaxEvals: 200, Strict: true, Certify: true, Progress: func(p solve.Progress) {
				if p.Schedule == nil {
					return
				}
				if value, err := model.EvaluateObjective(in, p.Schedule()); err != nil || value != p.Objective {
					t.Errorf("%s with %s: progress shows %v, expected %v, %v", name, a.Name, p.Objective, value, err)
				}
			}}
			result, err := solve.Run(t.Context(), choice, in, opt)
			if err != nil {
				if !errors.Is(err, solve.ErrUnsupported) {
					t.Errorf("%s with %s: %v", name, a.Name, err)
				}
				continue
			}
			additions[a.Rule] = true
			shown, err := model.Evaluate(in, solve.Bare(result.Solution))
			if err != nil {
				t.Fatal(err)
			}
			if value := result.Solution.Objective; value == nil || *value != shown.Objective || !reflect.DeepEqual(result.Solution.Metrics, shown.Metrics) {
				t.Errorf("%s with %s: shows %v and %v, expected %v and %v", name, a.Name, value, result.Solution.Metrics, shown.Objective, shown.Metrics)
			}
			if c := result.Certificate; c != nil {
				if report := proof.Check(t.Context(), in, c); report.Verdict == proof.Refuted {
					t.Errorf("%s with %s: %s", name, a.Name, report.Reason)
				}
			}
		}
	}
	for _, rule := range []string{"objective", "blocks", "reservation", "sleep", "power caps", "horizon"} {
		if !additions[rule] {
			t.Errorf("no addition for the rule %s", rule)
		}
	}
}
