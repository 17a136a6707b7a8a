package advise

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// adviseNaive is what [Advise] gives to each job, from the definitions: every figure is counted anew where it is needed.
func adviseNaive(jobs []Past, rules Rules) (given []float64, factor []float64) {
	given = make([]float64, len(jobs))
	first, months := math.Inf(1), 0
	for _, j := range jobs {
		first = min(first, j.Arrival)
	}
	monthOf := func(j Past) int { return int((j.Arrival - first) / Month) }
	for _, j := range jobs {
		months = max(months, monthOf(j))
	}
	begin := func(m int) float64 { return first + float64(m)*Month }
	quantile := func(kind Kind, at float64) (q float64, n int) {
		var runs []float64
		days := map[float64]bool{}
		for _, j := range jobs {
			if j.Kind == kind && j.End <= at && j.End-j.Used+kind.Requested <= at && j.End-j.Used > at-window {
				runs, days[math.Floor(j.Arrival/86400)] = append(runs, j.Used), true
			}
		}
		slices.Sort(runs)
		allowed := Allowed(len(runs), held*rules.Risk, rules.Confidence)
		if allowed < 0 && len(runs) < least || len(days) < leastDay {
			return 0, len(runs)
		}
		return runs[len(runs)-1-max(0, allowed)], len(runs)
	}
	// dead says whether a job that was tried in a month would have been killed, as known at a time; known is false where it is not known, or where the limit would have been no shorter.
	tried := make([]map[Kind]float64, months+1) // by month: the quantiles
	clean := make([]map[Kind][]bool, months+1)  // by month, kind and factor
	outcome := func(j Past, f int, at float64) (killed, known bool) {
		q := tried[monthOf(j)][j.Kind]
		limit := round(factors[f] * q)
		if q == 0 || j.Kind.Requested > 0 && limit >= j.Kind.Requested {
			return false, false
		}
		if j.Used > limit {
			return true, j.End-j.Used+limit < at
		}
		return false, j.End < at
	}
	count := func(f int, at float64, which func(Past) bool) (n, killed float64) {
		for _, j := range jobs {
			if m := monthOf(j); m < 1 || begin(m) >= at || !which(j) {
				continue
			}
			if dead, known := outcome(j, f, at); known {
				n++
				if dead {
					killed++
				}
			}
		}
		return n, killed
	}
	factor = make([]float64, months+1)
	for m := 1; m <= months; m++ {
		at := begin(m)
		contradicted := func(kind Kind, f int) bool {
			for back := max(1, m-memory); back < m; back++ {
				if n, killed := count(f, at, func(j Past) bool { return j.Kind == kind && monthOf(j) == back }); killed > rules.Risk*n {
					return true
				}
			}
			return false
		}
		chosen := -1
		for f := len(factors) - 1; f >= 0; f-- {
			enough, over := 0, false
			for back := 1; back < m; back++ {
				n, killed := count(f, at, func(j Past) bool { return monthOf(j) == back && clean[back][j.Kind][f] })
				over = over || killed > held*rules.Risk*n
				if n >= checked {
					enough++
				}
			}
			if !over && enough >= walked {
				chosen = f
			}
		}
		tried[m], clean[m] = map[Kind]float64{}, map[Kind][]bool{}
		limits := map[Kind]float64{}
		for _, j := range jobs {
			if _, done := clean[m][j.Kind]; done || monthOf(j) != m {
				continue
			}
			q, n := quantile(j.Kind, at)
			flags := make([]bool, len(factors))
			for f := range factors {
				flags[f] = !contradicted(j.Kind, f)
			}
			if chosen >= 0 && q > 0 && flags[chosen] && Allowed(n, rules.Risk, rules.Confidence) >= 0 {
				before, _ := count(chosen, at, func(other Past) bool { return other.Kind == j.Kind && monthOf(other) >= m-memory })
				if limit := round(factors[chosen] * q); before >= checked && (j.Kind.Requested == 0 || limit < j.Kind.Requested) {
					limits[j.Kind] = limit
				}
			}
			tried[m][j.Kind], clean[m][j.Kind] = q, flags
		}
		for k, j := range jobs {
			if monthOf(j) == m {
				given[k] = limits[j.Kind]
			}
		}
		if chosen >= 0 {
			factor[m] = factors[chosen]
		}
	}
	return given, factor
}

// Advice is what its definition says.
func TestAdviseNaive(t *testing.T) {
	advised := 0
	rapid.Check(t, func(t *rapid.T) {
		jobs := drawn(t)
		if len(jobs) == 0 {
			return
		}
		rules := Rules{Risk: rapid.SampledFrom([]float64{0.02, 0.1, 0.3}).Draw(t, "risk"), Confidence: 0.8}
		a := advise(jobs, rules)
		given, factor := adviseNaive(jobs, rules)
		for k := range jobs {
			if a.Given[k] != given[k] {
				t.Fatalf("job %d %+v got %v, expected %v", k, jobs[k], a.Given[k], given[k])
			}
			if given[k] > 0 {
				advised++
			}
		}
		for m, month := range a.Months {
			if month.Jobs > 0 && month.Factor != factor[m+1] {
				t.Fatalf("month %d: factor %v, expected %v", m+1, month.Factor, factor[m+1])
			}
		}
		if wrong := inconsistent(a, rules); wrong != nil {
			t.Fatalf("%+v does not fit %+v", *wrong, a.Walk)
		}
	})
	if advised == 0 {
		t.Error("no job got advice: nothing is tested")
	}
}

// inconsistent is a limit whose state is not what its figures say; nil: none is.
func inconsistent(a *Advice, rules Rules) *Limit {
	factor := factors[0]
	if a.Walk.Holds() {
		factor = a.Walk.Factor
	}
	for k := range a.Limits {
		l := &a.Limits[k]
		limit := round(factor * l.Quantile)
		switch needed := l.Quantile > 0 && l.Requested > 0 && limit >= l.Requested; {
		case needed != (l.State == noShorter), l.State == Advised && (l.Limit != limit || l.Jobs < Needed(rules.Risk, rules.Confidence) || !a.Walk.Holds()), l.State != Advised && l.Limit != 0:
			return l
		}
	}
	return nil
}

// Where runs became longer in an earlier month, the factor is the least with which the limits of that month held; where none did there is no advice, and the report says so.
func TestFactor(t *testing.T) {
	for _, c := range []struct {
		rise float64
		want Walk
		says string
	}{
		{1, Walk{Factor: 1.5, Months: 6, Jobs: 4320}, "The factor is 1.5: with it 0 of 4320 tried jobs in 6 earlier months would have been killed."},
		{2.5, Walk{Factor: 2, Months: 6, Jobs: 4320}, "The factor is 2: with it 0 of 4320 tried jobs in 6 earlier months would have been killed."},
		{30, Walk{Factor: 6, Months: 1, Over: 1, Jobs: 720, Killed: 360}, "Even with the factor 6 the past months exceeded half of the risk in 1 of 1 month: no advice is given."},
	} {
		var jobs []Past
		for hour := range 7 * 30 * 24 {
			used := 1000 + 1000*float64(hour*7%100)/100
			if hour >= 45*24 {
				used *= c.rise
			}
			at := float64(hour) * 3600
			jobs = append(jobs, Past{Kind: Kind{User: "u", Requested: 86400}, Arrival: at, End: at + used, Used: used, Processors: 1})
		}
		jobs = append(jobs, Past{Kind: Kind{User: "v"}, Arrival: 7*Month - 1, End: 8 * Month, Used: 1, Processors: 1}) // all limits have passed by then
		a := advise(jobs, rules)
		if a.Walk != c.want || a.Walk.sentence() != c.says {
			t.Errorf("runs longer by %v: %+v, %q", c.rise, a.Walk, a.Walk.sentence())
		}
		if wrong := inconsistent(a, rules); wrong != nil {
			t.Errorf("%+v does not fit %+v", *wrong, a.Walk)
		}
		given, _ := adviseNaive(jobs, rules)
		if !slices.Equal(given, a.Given) || (slices.Max(given) > 0) != (c.rise < 30) {
			t.Errorf("runs longer by %v: the advice differs from the definition, or is there though nothing holds", c.rise)
		}
	}
}
