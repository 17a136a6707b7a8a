//go:build unix

package solvers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// processorTime is the time that this process has computed so far, without the system's time on its behalf: the first touch of memory costs a virtual
// machine between nothing and seconds.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Error(err)
	}
	return time.Duration(usage.Utime.Nano())
}

// cancelledAfter is a context that ends when this process has used some more processor time.
func cancelledAfter(t *testing.T, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	end := processorTime(t) + limit
	go func() {
		for ctx.Err() == nil && processorTime(t) < end {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	return ctx, cancel
}

// hard are instances that are small as files and large for an algorithm that looks at all pairs of something between two looks at its context.
func hard(t *testing.T) map[string]*model.Instance {
	t.Helper()
	machines := func(n int, each model.MachineSpec) (all []model.MachineSpec) {
		for k := range n {
			m := each
			m.ID, m.Speed = fmt.Sprint("m", k), 1+float64(k)/1e6
			all = append(all, m)
		}
		return all
	}
	jobs := func(b *model.Builder, n int, each model.JobSpec) *model.Builder {
		for k := range n {
			j := each
			j.ID, j.Work = fmt.Sprint("j", k), new(float64(1+k%7))
			b.Job(j)
		}
		return b
	}
	cluster := func(machines ...model.MachineSpec) *model.Builder {
		return model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: machines})
	}
	clusters := model.NewBuilder("")
	for k := range 10_000 {
		clusters.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Machines: []model.MachineSpec{{ID: "m", Count: 4, Speed: 1 + float64(k)/1e6}}})
	}
	instances := map[string]*model.Instance{}
	for name, b := range map[string]*model.Builder{
		"many kinds of machines":      jobs(cluster(machines(20_000, model.MachineSpec{})...), 20, model.JobSpec{}),
		"wide jobs on many kinds":     jobs(cluster(machines(10_000, model.MachineSpec{})...), 50, model.JobSpec{Processors: model.Rigid(3000)}),
		"moldable jobs on many kinds": jobs(cluster(machines(10_000, model.MachineSpec{})...), 50, model.JobSpec{Tasks: 5000, Processors: model.Moldable(1, 5000)}),
		"many clusters":               jobs(clusters, 1000, model.JobSpec{}),
		"many machines, jobs that stay on one": jobs(cluster(model.MachineSpec{ID: "m", Count: 65_536, Processors: 16}), 4000,
			model.JobSpec{Processors: model.Rigid(9), Span: "machine"}),
	} {
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		instances[name] = in
	}
	return instances
}

// Every solver returns soon after the end of its context, whatever is large about the instance. What counts is processor time, as others may use the
// machine too.
func TestSolversKeepLimitsOnHardInstances(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes everything slower")
	}
	const most = 1500 * time.Millisecond
	limit := race.Fewer(50*time.Millisecond, 15*time.Millisecond)
	for name, in := range hard(t) {
		ran, some := 0, race.Fewer(1, 3)
		for k, info := range solve.Solvers() {
			if (k+len(name))%some != 0 {
				continue
			}
			before := processorTime(t)
			ctx, cancel := cancelledAfter(t, limit)
			_, err := solve.Run(ctx, info.Choice(), in, solve.Options{Seed: 1})
			used := processorTime(t) - before
			cancel()
			switch {
			case errors.Is(err, solve.ErrUnsupported):
				continue
			case err != nil:
				t.Errorf("%s, %s: %v", name, info.Name, err)
			case used > most:
				t.Errorf("%s, %s: %v of processor time, and its context ended after %v", name, info.Name, used, limit)
			}
			if ran++; used > 100*time.Millisecond {
				t.Logf("%s, %s: %v", name, info.Name, used)
			}
		}
		if ran < 5/some {
			t.Errorf("%s: only %d solvers take it", name, ran)
		}
	}
}

// A run of very many jobs ends soon after its context: the schedule is checked once, and copied, and nothing else looks at all jobs. How long that takes here and now tells a check
// of another schedule, as others use the caches of the machine too.
func TestManyJobsKeepLimits(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("the race detector makes everything slower")
	}
	const jobs = 100_000
	rigid, single := model.NewBuilder("rigid").Minimise("makespan", 1), model.NewBuilder("single").Minimise("unfinished", 1)
	for k := range 4 {
		rigid.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Machines: []model.MachineSpec{{ID: "m", Count: 10 + 3*k, Speed: 1 + float64(k)/5}}})
	}
	for k := range 600 {
		single.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", k), Allocation: "machine", Machines: []model.MachineSpec{{ID: "m", Speed: 1 + float64(k)/7, Memory: new(2 + float64(k%9))}}})
	}
	for k := range jobs {
		id, work := fmt.Sprint("j", k), new(1+float64(k*7919%1000)/10)
		rigid.Job(model.JobSpec{ID: id, Work: work, Processors: model.Rigid(1 + k%10)})
		single.Job(model.JobSpec{ID: id, Work: work, Memory: 0.5 + float64(k%30)/10, Deadline: new(float64(1000 + k)), DeadlineHard: true})
	}
	most := time.Duration(0)
	for _, b := range []*model.Builder{rigid, single} {
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		_ = in.SHA256() // an instance of a file knows it; here it would be computed after the first run that has a schedule
		if b == rigid {
			listed, err := (&FCFSList{}).Solve(t.Context(), in, solve.Options{})
			if err != nil {
				t.Fatal(err)
			}
			before := processorTime(t)
			if report := model.Check(in, listed.Solution); !report.OK() {
				t.Fatal(report.Violations[0])
			}
			most = 3*(processorTime(t)-before) + 100*time.Millisecond
		}
		for _, name := range []string{"auto", "search", "dll+titan"} {
			for _, limit := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
				choice, err := solve.Choose(name)
				if err != nil {
					t.Fatal(err)
				}
				runtime.GC()
				before := processorTime(t)
				ctx, cancel := cancelledAfter(t, limit)
				_, err = solve.Run(ctx, choice, in, solve.Options{Seed: 1})
				used, ended := processorTime(t)-before, ctx.Err() != nil
				cancel()
				switch {
				case errors.Is(err, solve.ErrUnsupported) || !ended:
				case err != nil:
					t.Errorf("%s, %s: %v", in.Name(), name, err)
				case used-limit > most:
					t.Errorf("%s, %s: %v of processor time after the end of its context, at %v; expected %v at most", in.Name(), name, used-limit, limit, most)
				default:
					t.Logf("%s, %s, %v: %v", in.Name(), name, limit, used-limit)
				}
			}
		}
	}
}
