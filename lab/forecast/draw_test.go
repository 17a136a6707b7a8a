package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// A second sampler, which looks at all records for each draw and shares no code with the first, draws from the same ratios; the frequencies of the first are
// those of a uniform choice.
func TestDrawsMatchASecondSampler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var records []record
		for k := range rapid.IntRange(0, 60).Draw(t, "records") {
			records = append(records, record{
				End: float64(k), Ratio: float64(rapid.IntRange(0, 30).Draw(t, "ratio")) / 16, Estimate: float64(rapid.SampledFrom([]int{0, 1, 3, 4, 60, 3600}).Draw(t, "estimate")),
				Processors: rapid.IntRange(1, 9).Draw(t, "processors"), User: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "user"),
			})
		}
		opt := Defaults()
		opt.Least, opt.Recent = rapid.IntRange(1, 8).Draw(t, "least"), rapid.IntRange(0, 20).Draw(t, "recent")
		at, part := float64(rapid.IntRange(-1, 60).Draw(t, "at")), float64(rapid.IntRange(-1, 34).Draw(t, "part"))/16
		user, processors, estimate := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "of"), rapid.IntRange(1, 9).Draw(t, "width"), 4.0
		got := newHistory(records).knownAt(at, &opt).of(user, processors, estimate, part)
		want, source := secondSampler(records, at, part, user, processors, estimate, &opt)
		if !slices.Equal(got.ratios, want) || got.source != source {
			t.Fatalf("got %v from %s, want %v from %s", got.ratios, got.source, want, source)
		}
	})
}

// secondSampler is the ratios from which one is drawn, ascending.
func secondSampler(records []record, at, part float64, user string, processors int, estimate float64, opt *Options) ([]float64, origin) {
	log := func(base, x float64) int { return int(math.Floor(math.Log(x)/math.Log(base) + 1e-9)) }
	alike := func(r record) bool {
		// Estimates of one class differ in their powers of 4: 1/2 to 2, 2 to 8, …
		return log(2, float64(r.Processors)) == log(2, float64(processors)) && log(4, 2*r.Estimate) == log(4, 2*estimate)
	}
	choices := []struct {
		source origin
		takes  func(record) bool
	}{
		{fromUser, func(r record) bool { return user != "" && r.User == user }}, {fromSize, alike}, {fromAll, func(record) bool { return true }},
	}
	for _, least := range []int{opt.Least, 1} {
		for _, c := range choices {
			var last []float64
			for k := len(records) - 1; k >= 0; k-- {
				if r := records[k]; r.Estimate > 0 && r.End <= at && c.takes(r) && (opt.Recent == 0 || len(last) < opt.Recent) {
					last = append(last, r.Ratio)
				}
			}
			last = slices.DeleteFunc(last, func(ratio float64) bool { return ratio <= part })
			if len(last) >= least {
				slices.Sort(last)
				return last, c.source
			}
		}
	}
	return nil, fromNone
}

// The numbers behind the draws are uniform: over runs, over jobs, and over seeds.
func TestDrawsAreUniform(t *testing.T) {
	const n = 20_000
	for name, at := range map[string]func(k int) float64{
		"runs":  func(k int) float64 { o := Options{Seed: 1}; return o.uniform(k, forJob, 5) },
		"jobs":  func(k int) float64 { o := Options{Seed: 1}; return o.uniform(5, forJob, uint64(k)) },
		"seeds": func(k int) float64 { o := Options{Seed: uint64(k)}; return o.uniform(5, forUser, 5) },
	} {
		d := draw{ratios: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
		counts, product, before := make([]float64, 10), 0.0, 0.5
		for k := range n {
			u := at(k)
			if !(u >= 0 && u < 1) {
				t.Fatalf("%s: %v", name, u)
			}
			counts[int(d.ratio(u))]++
			product += (u - 0.5) * (before - 0.5)
			before = u
		}
		chi := 0.0
		for _, c := range counts {
			chi += (c - n/10) * (c - n/10) / (n / 10)
		}
		// 27.9 is the 99.9 % quantile of chi squared with 9 degrees of freedom; neighbours are uncorrelated within 4 standard deviations.
		if correlation := 12 * product / n; chi > 27.9 || math.Abs(correlation) > 4/math.Sqrt(n) {
			t.Errorf("%s: chi squared %v, correlation of neighbours %v", name, chi, correlation)
		}
	}
}

// The jobs of a user share a draw, those of different users do not, and with Independent none do.
func TestUsersShareDraws(t *testing.T) {
	b := model.NewBuilder("users").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	for _, job := range []struct{ id, user string }{{"a1", "a"}, {"a2", "a"}, {"b1", "b"}, {"n1", ""}, {"n2", ""}} {
		b.Job(model.JobSpec{ID: job.id, User: job.user, Work: new(1.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	truth, err := replay(t.Context(), in, under{discipline: disciplines()["easy"]}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, independent := range []bool{false, true} {
		opt := Options{Seed: rand.Uint64(), Runs: 9, Independent: independent}
		m := &moment{truth: truth, opt: &opt, by: truth.candidates(&opt)[0]}
		if same := m.uniformOf(7, 0) == m.uniformOf(7, 1); same == independent {
			t.Errorf("independent %v: two jobs of a user share a draw: %v", independent, same)
		}
		if m.uniformOf(7, 0) == m.uniformOf(7, 2) || (m.uniformOf(7, 3) == m.uniformOf(7, 4)) == independent || m.uniformOf(7, 0) == m.uniformOf(8, 0) {
			t.Errorf("independent %v: jobs of different users, of none, or runs share a draw", independent)
		}
	}
}

// By the day, jobs share a draw if they are of one user and were submitted on one day, or, where no user is stated, if they are of one size and one day. The draws of a day are
// others than those that users have on all days.
func TestJobsOfADayShareDraws(t *testing.T) {
	b := model.NewBuilder("days").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	for _, job := range []struct {
		id, user string
		arrival  float64
	}{{"a1", "a", 1}, {"a2", "a", 9}, {"a3", "a", 11}, {"b1", "b", 1}, {"n1", "", 1}, {"n2", "", 9}, {"n3", "", 11}} {
		b.Job(model.JobSpec{ID: job.id, User: job.user, Arrival: job.arrival, Work: new(1.0)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	truth, err := replay(t.Context(), in, under{discipline: disciplines()["easy"]}, 1)
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Seed: rand.Uint64(), Day: 10}
	m := &moment{truth: truth, opt: &opt, by: byDay}
	for _, pair := range [][2]int{{0, 1}, {4, 5}} {
		if m.uniformOf(7, pair[0]) != m.uniformOf(7, pair[1]) {
			t.Errorf("jobs %d and %d are of one day and one user or size, and do not share a draw", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]int{{0, 2}, {0, 3}, {4, 6}, {0, 4}, {3, 4}} {
		if m.uniformOf(7, pair[0]) == m.uniformOf(7, pair[1]) {
			t.Errorf("jobs %d and %d share a draw", pair[0], pair[1])
		}
	}
	// A user and a class of the same number are two groups, and so are a user and the user on a day.
	day := uint64(in.Jobs()[0].Arrival / opt.Day)
	if got, want := m.uniformOf(7, 0), opt.uniform(7, forUserOfDay, uint64(truth.users[0])<<32+day); got != want {
		t.Errorf("the draw of a user's day is %v, expected %v", got, want)
	}
	if got, want := m.uniformOf(7, 4), opt.uniform(7, forClassOfDay, m.class(4)<<32+day); got != want {
		t.Errorf("the draw of a class's day is %v, expected %v", got, want)
	}
}

// A run begins in the middle where no job may spread: a job that may hold several processors of several clusters needs a run from the begin.
func TestRunsBeginInTheMiddleWhereNoJobSpreads(t *testing.T) {
	for _, c := range []struct {
		clusters, most, tasks int
		span                  string
		want                  bool
	}{
		{2, 2, 2, "grid", false}, {2, 3, 3, "grid", false}, {1, 2, 2, "grid", true}, {2, 1, 2, "grid", true}, {2, 2, 1, "grid", true}, {2, 2, 2, "cluster", true},
	} {
		b := model.NewBuilder("spread")
		for k := range c.clusters {
			b.Cluster(model.ClusterSpec{ID: string(rune('a' + k)), Machines: []model.MachineSpec{{ID: "m", Count: 4}}})
		}
		in, err := b.Job(model.JobSpec{ID: "j", Work: new(1.0), Tasks: c.tasks, Processors: model.Moldable(1, c.most), Span: c.span}).Build()
		if err != nil {
			t.Fatal(err)
		}
		truth := &truth{in: in, discipline: disciplines()["easy"]}
		if got := truth.canBegin(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
