package model_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// unix is a point in time such as traces have.
const unix = 1.5e9

// oneProcessor is an instance of one processor of speed 1 and jobs of the given works, all with the given fields.
func oneProcessor(t *testing.T, fields string, works ...float64) *model.Instance {
	t.Helper()
	var jobs []string
	for k, work := range works {
		jobs = append(jobs, fmt.Sprintf(`{"id": "j%d", "work": %v%s}`, k, work, fields))
	}
	in, err := readInstance(document("", `{"id": "c", "machines": [{"id": "m"}]}`, strings.Join(jobs, ", ")))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// checkCodes checks placements on the one processor, given as starts and ends in turn, and returns the codes of the violations.
func checkCodes(in *model.Instance, times ...float64) string {
	sol := &model.Solution{Status: model.Feasible}
	for k := 0; k < len(times); k += 2 {
		sol.Jobs = append(sol.Jobs, placed(in.Jobs()[k/2].ID, "c", "0", times[k], times[k+1]))
	}
	report := model.Check(in, sol)
	var codes []string
	for _, v := range report.Violations {
		codes = append(codes, string(v.Code))
	}
	return strings.Join(codes, " ")
}

func TestEndsAreCheckedToTheTolerance(t *testing.T) {
	for _, start := range []float64{0, 1e-3, 7, 1e6, unix} {
		for _, work := range []float64{1e-6, 0.1, 10, 1e5, 1e9} {
			if work*1e-8 < 8*(math.Nextafter(start+work, math.Inf(1))-start-work) {
				continue // the numbers that hold the times are not that fine
			}
			in := oneProcessor(t, "", work)
			for _, c := range []struct {
				error float64
				want  string
			}{{0, ""}, {5e-10, ""}, {-5e-10, ""}, {1e-8, "wrong-end"}, {-1e-8, "wrong-end"}} {
				if got := checkCodes(in, start, start+work*(1+c.error)); got != c.want {
					t.Errorf("start %v, work %v, relative error %v: got %q, want %q", start, work, c.error, got, c.want)
				}
			}
		}
	}
}

// Rounding start + work must not count as a wrong end, however far out the start is.
func TestEndsMayBeRounded(t *testing.T) {
	for _, start := range []float64{unix, unix + 0.3, 1e12, 1e15 + 0.1} {
		for _, work := range []float64{1e-9, 0.1, 1.0 / 3, 12345.678} {
			if got := checkCodes(oneProcessor(t, "", work), start, model.End(start, work)); got != "" {
				t.Errorf("start %v, work %v: got %q", start, work, got)
			}
			if got := checkCodes(oneProcessor(t, "", work), start, start); got != "wrong-end" {
				t.Errorf("start %v, work %v, and it ends when it starts: got %q", start, work, got)
			}
		}
	}
}

// A thousand jobs back to back at Unix time, each starting at the very instant the one before ends.
func TestHalfOpenIntervals(t *testing.T) {
	for _, start := range []float64{0, unix} {
		var works, times []float64
		at := start
		for k := range 1000 {
			works = append(works, 0.1+float64(k%7)/3)
			times = append(times, at, at+works[k])
			at += works[k]
		}
		if got := checkCodes(oneProcessor(t, "", works...), times...); got != "" {
			t.Errorf("from %v: got %.100s", start, got)
		}
	}
}

// The end of one job and the start of the next are compared as they are stated: the slack of a duration is not there a second time.
func TestOverlapsHaveNoTolerance(t *testing.T) {
	in := oneProcessor(t, "", 10, 10)
	for _, c := range []struct {
		early float64 // by how much the second starts before the first ends
		want  string
	}{{0, ""}, {2e-15, "overlap"}, {10 * 5e-10, "overlap"}, {5, "overlap"}, {10, "overlap"}} {
		if got := checkCodes(in, 0, 10, 10-c.early, 20-c.early); got != c.want {
			t.Errorf("%v early: got %q, want %q", c.early, got, c.want)
		}
	}
	if got := checkCodes(in, 10, 20, 0, 10); got != "" {
		t.Errorf("in the other order: got %q", got)
	}
}

func TestArrivalsAndDeadlinesAreCheckedToRounding(t *testing.T) {
	late := oneProcessor(t, `, "arrival": 0.3, "deadline": 1.3, "deadline_hard": true`, 1)
	third := 0.1 + 0.2 // 0.30000000000000004
	for _, c := range []struct {
		start, end float64
		want       string
	}{
		{0.3, 1.3, ""},
		{third, third + 1, ""},
		{math.Nextafter(0.3, 0), 1.3, "early-start"},
		{0.3, 1.3 + 5e-10, "hard-deadline"},
		{0.3 - 5e-10, 1.3, "early-start"},
	} {
		if got := checkCodes(late, c.start, c.end); got != c.want {
			t.Errorf("%v to %v: got %q, want %q", c.start, c.end, got, c.want)
		}
	}
	sol := &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", third, 1.3+2e-16)}}
	report := model.Check(late, sol)
	if finished, _ := report.Metrics.Get("finished"); !report.OK() || finished != 1 {
		t.Errorf("a hard deadline met to rounding counts as met: finished %v, %s", finished, violations(report))
	}
}

// A job that takes no time holds nothing, so that it may run anywhere.
func TestJobsWithoutWorkHoldNothing(t *testing.T) {
	in := oneProcessor(t, `, "memory": 1`, 10, 0, 0)
	if got := checkCodes(in, 0, 10, 5, 5, 5, 5); got != "" {
		t.Errorf("got %q", got)
	}
}

// On a machine that local jobs load, a job may take up to twice its time.
func TestBackgroundLoadMayStretchJobs(t *testing.T) {
	in, err := readInstance(document("", `{"id": "c", "machines": [{"id": "m", "background": {"load": 0.5, "mean": 1}}]}`, `{"id": "j", "work": 10}`))
	if err != nil {
		t.Fatal(err)
	}
	for end, want := range map[float64]string{10: "", 14: "", 20: "", 20 + 1.9e-8: "", 20 + 2.1e-8: "wrong-end", 20.1: "wrong-end", 10 - 0.9e-8: "", 10 - 1.1e-8: "wrong-end", 9.9: "wrong-end"} {
		if got := checkCodes(in, 0, end); got != want {
			t.Errorf("end %v: got %q, want %q", end, got, want)
		}
	}
}

// The tolerance of durations is a rule of exact numbers, to the last digit of start and end.
func TestTheToleranceOfDurationsIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	edges := 0
	for range 3000 {
		work := float64(1+r.IntN(40)) / []float64{1, 4, 10}[r.IntN(3)]
		load := r.IntN(2)
		in, err := readInstance(document("", fmt.Sprintf(`{"id": "c", "machines": [{"id": "m", "background": {"load": %d, "mean": 1}}]}`, load),
			fmt.Sprintf(`{"id": "j", "work": %v}`, work)))
		if err != nil {
			t.Fatal(err)
		}
		longest := work * float64(1+load)
		start := []float64{0, 0.3, 0.5, 7, 1e6 + 0.1}[r.IntN(5)]
		end := start + []float64{work * (1 - 1e-9), longest * (1 + 1e-9)}[r.IntN(2)]
		for range r.IntN(4) {
			end = math.Nextafter(end, []float64{0, math.Inf(1)}[r.IntN(2)])
		}
		exact := func(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
		length := exact(end)
		length.Sub(length, exact(start))
		rounding := exact(math.Nextafter(start, math.Inf(1)))
		rounding.Sub(rounding, exact(start)).Add(rounding, exact(math.Nextafter(end, math.Inf(1)))).Sub(rounding, exact(end))
		rounding.Mul(rounding, big.NewRat(1, 2))
		slack := func(of float64) *big.Rat {
			x := exact(1e-9)
			return x.Mul(x, exact(of)).Add(x, rounding)
		}
		short := new(big.Rat).Sub(exact(work), length)
		long := length.Sub(length, exact(longest))
		want := ""
		if short.Cmp(slack(work)) > 0 || long.Cmp(slack(longest)) > 0 {
			want = "wrong-end"
			edges++
		}
		if got := checkCodes(in, start, end); got != want {
			t.Errorf("work %v, load %d, from %v to %v: got %q, want %q", work, load, start, end, got, want)
		}
	}
	if edges < 500 || edges > 2500 {
		t.Errorf("%d of 3000 are beyond the edge", edges)
	}
}

// Idle time is a small difference of large sums, so that adding them in another order may change all of its digits.
func TestIdleTimeMayBeRounded(t *testing.T) {
	in := oneProcessor(t, "", 1e9)
	for idle, want := range map[float64]string{0: "", 1e-6: "", -1e-6: "", 1e-3: "wrong-metric"} {
		for _, name := range []string{"idle_time", "makespan"} {
			sol := &model.Solution{Jobs: []model.Placement{placed("j0", "c", "0", 0, 1e9)}, Metrics: model.Metrics{name: {Total: idle}}}
			got := ""
			for _, v := range model.Check(in, sol).Violations {
				got += string(v.Code)
			}
			if name == "makespan" {
				want = "wrong-metric"
			}
			if got != want {
				t.Errorf("%s of %v: got %q, want %q", name, idle, got, want)
			}
		}
	}
}

func TestLoadsAreCheckedToTheLastDigits(t *testing.T) {
	in := ggone(t, 0.3)
	for error, want := range map[float64]string{0: "", 0x1p-51: "", -0x1p-51: "", 1e-14: "loadsloads", -1e-14: "loads"} {
		got := ""
		for _, v := range model.Check(in, assignment(in, "112", []float64{0.2, 0.1 - 0.1*error})).Violations {
			got += string(v.Code)
		}
		if got != want {
			t.Errorf("relative error %v: got %q, want %q", error, got, want)
		}
	}
}

func TestFiguresAreCheckedToTheTolerance(t *testing.T) {
	in := oneProcessor(t, "", 10, 20)
	for error, want := range map[float64]string{0: "", 9e-10: "", -9e-10: "", 1.1e-9: "wrong-metric wrong-objective wrong-bound", -1.1e-9: "wrong-metric wrong-objective", 1e-8: "wrong-metric wrong-objective wrong-bound", -1e-8: "wrong-metric wrong-objective"} {
		figure := 30 * (1 + error)
		sol := &model.Solution{
			Jobs:    []model.Placement{placed("j0", "c", "0", 0, 10), placed("j1", "c", "0", 10, 30)},
			Metrics: model.Metrics{"makespan": {Total: figure}}, Objective: &figure, Bound: model.ProvedBound(figure),
		}
		var codes []string
		for _, v := range model.Check(in, sol).Violations {
			codes = append(codes, string(v.Code))
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("relative error %v: got %q, want %q", error, got, want)
		}
	}
}
