package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats"
	_ "github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// rules ask for little, so that few jobs are enough for advice.
var rules = Rules{Risk: 0.3, Confidence: 0.8}

// drawn draws jobs of few kinds over several months, which run for days. Some kinds change their run times at some time.
func drawn(t *rapid.T) []Past {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	months := rapid.IntRange(1, 8).Draw(t, "months")
	change, rise := rapid.Float64Range(0, 8*Month).Draw(t, "change"), rapid.SampledFrom([]float64{1.7, 2.5, 3}).Draw(t, "rise")
	var jobs []Past
	for range rapid.IntRange(0, 2000).Draw(t, "jobs") {
		at := random.Float64() * float64(months) * Month
		kind := Kind{User: string(rune('a' + random.IntN(3))), Requested: []float64{0, 1500000}[random.IntN(2)]}
		used := 600 + 500000*random.Float64()
		if kind.User == "c" && at > change {
			used *= rise
		}
		jobs = append(jobs, Past{Kind: kind, Arrival: at, End: at + used + 1e5*random.Float64(), Used: used, Processors: 1 + random.IntN(4)})
	}
	return jobs
}

// The kills that advice states are those that a recount from the limits finds, and no job has a limit that is not below what it asks for.
func TestJudged(t *testing.T) {
	race.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawn(t)
		a := advise(jobs, rules)
		first := math.Inf(1)
		for _, j := range jobs {
			first = min(first, j.Arrival)
		}
		for _, month := range a.Months {
			count, advised, killed := 0, 0, 0
			for k, j := range jobs {
				if math.Floor((j.Arrival-first)/Month) != math.Round((month.From-first)/Month) {
					continue
				}
				count++
				if a.Given[k] > 0 {
					advised++
					if j.Used > a.Given[k] {
						killed++
					}
				}
			}
			if count != month.Jobs || advised != month.Advised || killed != month.Killed {
				t.Fatalf("%+v: recounted %d jobs, %d advised, %d killed", month, count, advised, killed)
			}
		}
		for k, j := range jobs {
			if a.Given[k] > 0 && a.Given[k] >= j.limit() {
				t.Fatalf("job %d of limit %v got %v", k, j.limit(), a.Given[k])
			}
		}
	})
}

// Advice for a month does not change with what happens from then on: jobs that have not ended then may run for any time longer.
func TestOnlyThePast(t *testing.T) {
	race.OneGoroutine(t)
	given := 0
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawn(t)
		a := advise(jobs, rules)
		if len(a.Months) < 2 {
			return
		}
		cut := a.Months[rapid.IntRange(0, len(a.Months)-1).Draw(t, "month")].From
		other := slices.Clone(jobs)
		for k := range other {
			if j := &other[k]; j.End > cut {
				j.Used, j.End = j.Used*7, j.End+j.Used*6
			}
		}
		b := advise(other, rules)
		for k := range jobs {
			if a.Given[k] > 0 {
				given++
			}
			if jobs[k].Arrival < cut+0.999*Month && a.Given[k] != b.Given[k] {
				t.Fatalf("job %d: %v, with another future %v", k, a.Given[k], b.Given[k])
			}
		}
	})
	if given == 0 {
		t.Error("no job got advice: nothing is tested")
	}
}

// The quantile is the order statistic that the definition says, found by counting.
func TestLearnNaive(t *testing.T) {
	race.OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawn(t)
		at := rapid.Float64Range(0, 8*Month).Draw(t, "at")
		w := &walker{jobs: jobs, rules: rules}
		w.kinds, w.number = numbered(jobs)
		for _, l := range w.learn(at) {
			if l == nil {
				continue
			}
			kind := l.Kind
			var runs []float64
			days := map[float64]bool{}
			for _, j := range jobs {
				if j.Kind == kind && j.End <= at && j.End-j.Used+kind.Requested <= at && j.End-j.Used > at-window {
					runs, days[math.Floor(j.Arrival/86400)] = append(runs, j.Used), true
				}
			}
			if len(runs) != l.Jobs || slices.Max(runs) != l.Most {
				t.Fatalf("%v: %d jobs up to %v, expected %d up to %v", kind, l.Jobs, l.Most, len(runs), slices.Max(runs))
			}
			allowed := Allowed(len(runs), held*rules.Risk, rules.Confidence)
			if len(runs) < 400 { // the exact sums are slow
				allowed = allowedNaive(len(runs), held*rules.Risk, rules.Confidence)
			}
			if (allowed < 0 && len(runs) < least || len(days) < leastDay) != (l.Quantile == 0) {
				t.Fatalf("%v: %d jobs on %d days have the quantile %v", kind, len(runs), len(days), l.Quantile)
			}
			if l.Quantile == 0 {
				continue
			}
			above, from := 0, 0
			for _, x := range runs {
				if x > l.Quantile {
					above++
				}
				if x >= l.Quantile {
					from++
				}
			}
			if allowed = max(0, allowed); above > allowed || from <= allowed {
				t.Fatalf("%v: %d of %d runs exceed %v, %d reach it, expected at most %d, and more", kind, above, len(runs), l.Quantile, from, allowed)
			}
		}
	})
}

// read reads a trace of package data.
func read(t *testing.T, name string) *model.Instance {
	t.Helper()
	file, err := formats.Open("../../data/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, _, err := file.Format.New().Read(file, name)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// kept counts the jobs that advice gave a limit, and those that run longer.
func kept(jobs []Past, risk float64) (advised, killed int) {
	a := advise(jobs, Rules{Risk: risk, Confidence: 0.95})
	for k, j := range jobs {
		if a.Given[k] > 0 {
			advised++
			if j.Used > a.Given[k] {
				killed++
			}
		}
	}
	return advised, killed
}

// On real traces, and on sites where no program or one in ten changes its run times, advice keeps its risk in the months after it.
func TestRiskHolds(t *testing.T) {
	race.OneGoroutine(t)
	sets := map[string][]Past{}
	for _, name := range []string{"swf/KTH-SP2-1996-2.swf.gz", "swf/HPC2N-2002-first3170jobs.swf.gz", "swf/mira.swf.gz"} {
		sets[name] = jobs(read(t, name), nil, nil)
	}
	for seed := range race.Fewer(uint64(2), 1) {
		for _, drift := range []float64{0, 0.1} {
			sets[fmt.Sprintf("made up, seed %d, drift %v", seed, drift)] = madeUp(seed, drift)
		}
	}
	any := 0
	for name, jobs := range sets {
		for _, risk := range []float64{0.01, 0.1} {
			advised, killed := kept(jobs, risk)
			any += advised
			if float64(killed) > risk*float64(advised) {
				t.Errorf("%s, risk %v: %d of %d would have been killed", name, risk, killed, advised)
			}
		}
	}
	if any < race.Fewer(100_000, 50_000) {
		t.Errorf("%d jobs got advice in all: too few to show anything", any)
	}
}

// Where every program changes at some time, by a factor that is often above 4, no advice from the past can be sure. Over six such sites it still keeps its risk: it is given only after three months
// in which it held.
func TestRiskUnderDrift(t *testing.T) {
	race.OneGoroutine(t)
	for _, risk := range []float64{0.01, 0.05} {
		advised, killed := 0, 0
		for seed := range race.Fewer(uint64(6), 2) {
			a, k := kept(madeUp(seed, 1), risk)
			advised, killed = advised+a, killed+k
		}
		if advised < race.Fewer(10_000, 3_000) || float64(killed) > risk*float64(advised) {
			t.Errorf("risk %v: %d of %d would have been killed", risk, killed, advised)
		}
	}
}

// madeUp are the jobs of ten users of a site for 14 months. Each has some programs, which run for other times from some month on with the given probability.
func madeUp(seed uint64, drift float64) []Past {
	random := rand.New(rand.NewPCG(seed, 7))
	type program struct {
		kind                           Kind
		middle, spread, change, factor float64
	}
	var programs []program
	for user := range 10 {
		for name := range 3 {
			p := program{kind: Kind{User: fmt.Sprint(user), Name: fmt.Sprint(name), Requested: []float64{14400, 43200, 86400}[random.IntN(3)]}, middle: math.Exp(5 + 4*random.Float64()), spread: 0.1 + random.Float64(),
				change: math.Inf(1), factor: math.Exp(2 * random.NormFloat64())}
			if random.Float64() < drift {
				p.change = random.Float64() * 14 * Month
			}
			programs = append(programs, p)
		}
	}
	var jobs []Past
	for day := range 14 * 30 {
		for _, p := range programs {
			if random.IntN(3) > 0 { // bursts: some days have none
				continue
			}
			for range random.IntN(30) {
				at := (float64(day) + random.Float64()) * 86400
				used := p.middle * math.Exp(p.spread*random.NormFloat64())
				if at > p.change {
					used *= p.factor
				}
				used = min(used, p.kind.Requested)
				jobs = append(jobs, Past{Kind: p.kind, Arrival: at, End: at + used + 86400*random.Float64(), Used: used, Processors: 1})
			}
		}
	}
	return jobs
}
