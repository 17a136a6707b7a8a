package tune

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/bench/tables"
)

// The races show the best to be better or not: a candidate with ratios to what there is, heat by heat, which is the best of a number that were drawn. The levels are, on one side, 0.1 for one
// candidate and 0.0026 for forty.
func TestShownInTheRaces(t *testing.T) {
	always := func(n int, ratios ...float64) (list []float64) {
		for k := range n {
			list = append(list, ratios[k%len(ratios)])
		}
		return list
	}
	large := []float64{5000, 1000, 10, 12, 15, 18, 20, 23, 27, 30, 33, 36}
	for _, c := range []struct {
		name   string
		test   Test
		sizes  []float64 // of what there is, heat by heat; nil: from 10 on
		ratios []float64
		drawn  int
		want   bool
	}{
		{"better in each of 12 heats", ByRank, nil, always(12, 0.9, 0.8), 40, true},
		{"alike", ByRank, nil, always(12, 1), 40, false},
		{"worse", ByRank, nil, always(12, 1.1, 1.2), 1, false},
		{"better in three of four heats, alone", ByRank, nil, always(12, 0.9, 0.87, 1.08, 0.91), 1, true},
		{"better in three of four heats, the best of forty", ByRank, nil, always(12, 0.9, 0.87, 1.08, 0.91), 40, false},
		{"five heats of five, the best of forty", ByRank, nil, always(5, 0.9, 0.8), 40, true},
		{"three heats of five, the best of forty", ByRank, nil, always(5, 0.9, 1.1), 40, false},
		{"five heats of five by mean", ByMean, nil, always(5, 0.9, 0.8), 40, true},
		{"two large windows do not decide against ten small ones", ByMean, large, append([]float64{1.01, 1.02}, always(10, 0.8, 0.7)...), 40, true},
		{"what is lost in small windows does not decide against the sum", ByMean, []float64{1000, 1010, 1020, 990, 980, 1000, 1005, 985, 10, 10, 10, 10},
			append(always(8, 0.7, 0.71, 0.72), always(4, 4)...), 40, true},
	} {
		tu, _ := raced(t, Limits{Runs: 300}, 1, 0.1)
		r := tu.race
		best := r.sampler.anywhere()
		r.test, r.sampler.seen, r.field.results = c.test, map[string]bool{}, map[int]map[*candidate]tables.Result{}
		for k := range c.drawn + 1 { // what there is counts for none
			r.sampler.seen[strconv.Itoa(k)] = true
		}
		for heat, ratio := range c.ratios {
			size := float64(10 + heat)
			if c.sizes != nil {
				size = c.sizes[heat]
			}
			r.field.results[heat] = map[*candidate]tables.Result{r.standing: {Objective: size}, best: {Objective: size * ratio}}
		}
		if got, err := r.shown(best); err != nil || got != c.want {
			t.Errorf("%s: %v, %v; expected %v", c.name, got, err, c.want)
		}
	}
}

// What the races do not show to be better is not judged: nothing runs on what was set aside, and the answer keeps what there is.
func TestNotShownIsNotJudged(t *testing.T) {
	plan, dir := batches(t, 24), t.TempDir()
	space, err := NewSpace("titan", []string{"swap=0.29..0.31"}) // as good as alike
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	opt.Limits, opt.Dir = Limits{Runs: 220}, dir
	a, err := Instances(t.Context(), space, plan, opt)
	if err != nil {
		t.Fatal(err)
	}
	if a.Found == "titan" || a.Training == nil || a.HeldOut != nil || !a.Keep || a.Recommended != "titan" || a.Drawn < 2 || len(a.Steps) > 0 {
		t.Errorf("%+v", a)
	}
	rows, err := bench.ReadRows(filepath.Join(dir, runsFolder))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != a.Runs {
		t.Errorf("%d rows, %d runs stated", len(rows), a.Runs)
	}
	for _, row := range rows {
		if slices.Contains(a.Question.SetAside, row.Instance) {
			t.Fatalf("%s ran on %s, which is set aside", row.Solver, row.Instance)
		}
	}
}

// The answer after races that show nothing.
func TestVerdictOfRacesThatShowNothing(t *testing.T) {
	ratio, low, high := 0.961, 0.836, 1.104
	a := &Answer{Question: Question{Solver: "easy", Metric: "mean_wait"}, Found: "easy:depth=3", Training: &Gain{Ratio: &ratio, Low: &low, High: &high}, Drawn: 17, Keep: true, Races: []Iteration{{}}}
	text := strings.Join(strings.Fields(a.Text()), " ")
	for _, want := range []string{"keep easy Keep easy: the races show nothing to be better. Their best is easy:depth=3: mean_wait is 0.961 times [0.836, 1.104] that of easy there, as the best of 17 candidates may be by chance.",
		"So nothing was judged on what was set aside."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	a.SlurmConf = &SlurmConf{Tried: []string{"PriorityWeightAge=5"}, Command: "allot tune --judge PriorityWeightAge=5"}
	text = strings.Join(strings.Fields(a.Text()), " ")
	if want := "No line of slurm.conf is to be changed. The best of the races, not judged: # PriorityWeightAge=5 Judge them: allot tune --judge"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	var page strings.Builder
	if err := a.WritePage(&page, "allot tune"); err != nil || !strings.Contains(page.String(), "so they were not judged. The command judges them.") {
		t.Errorf("%v, and the page does not say what was not judged", err)
	}
}
