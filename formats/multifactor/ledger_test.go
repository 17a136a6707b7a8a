package multifactor

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestUsageAsNaive compares the usage with a sum over jobs and passes.
func TestUsageAsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		settings := DefaultSettings()
		settings.HalfLife = rapid.SampledFrom([]float64{0, 3600, 100}).Draw(t, "half-life")
		settings.Classic = rapid.Bool().Draw(t, "classic")
		tree, err := NewTree(settings, example)
		if err != nil {
			t.Fatal(err)
		}
		ledger, err := NewLedger(tree, nil)
		if err != nil {
			t.Fatal(err)
		}
		begin := tree.Share(2).Usage
		ledger.Pass(0, nil)
		passes := []float64{0}
		for range rapid.IntRange(1, 8).Draw(t, "passes") {
			passes = append(passes, passes[len(passes)-1]+float64(rapid.IntRange(1, 300).Draw(t, "period")))
		}
		type job struct{ start, end, bill, factor float64 }
		jobs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) job {
			start := float64(rapid.IntRange(0, 1000).Draw(t, "start"))
			return job{start, start + float64(rapid.IntRange(0, 800).Draw(t, "length")), float64(rapid.IntRange(1, 9).Draw(t, "bill")), float64(rapid.IntRange(0, 2).Draw(t, "factor"))}
		}), 0, 6).Draw(t, "jobs")
		at := 0.0
		for _, pass := range passes[1:] {
			for ; at <= pass; at++ {
				for k, j := range jobs {
					if j.start == at {
						ledger.Begin(Run{int64(k), 2, j.start, j.bill, j.factor})
					}
					if j.end == at {
						ledger.End(int64(k), at)
					}
				}
			}
			ledger.Pass(pass, nil)
		}
		last := passes[len(passes)-1]
		f := settings.decay()
		want := begin * math.Pow(f, last)
		for _, j := range jobs {
			for k, pass := range passes[1:] {
				if held := min(pass, j.end) - max(passes[k], j.start); held > 0 {
					want += held * math.Pow(f, held) * j.bill * j.factor * math.Pow(f, last-chargedBefore(passes[k:], j.end))
				}
			}
		}
		if got := tree.Share(2).Usage; math.Abs(got-want) > 1e-9*want {
			t.Fatalf("expected %v, found %v", want, got)
		}
	})
}

// chargedBefore is the time from which on what a job has used between the first two passes decays: from the second on, but where the job ended between them it is charged at its end, so that
// the second pass lets it decay too, and by the whole time since the first.
func chargedBefore(passes []float64, end float64) float64 {
	if end <= passes[1] {
		return passes[0]
	}
	return passes[1]
}

func TestReset(t *testing.T) {
	zone := time.UTC
	at := func(year int, month time.Month, day, hour int) time.Time {
		return time.Date(year, month, day, hour, 0, 0, 0, zone)
	}
	wednesday := at(2026, time.November, 25, 13)
	for period, want := range map[Period]time.Time{
		Daily: at(2026, time.November, 26, 0), Weekly: at(2026, time.November, 29, 0), Monthly: at(2026, time.December, 1, 0),
		Quarterly: at(2027, time.January, 1, 0), Yearly: at(2027, time.January, 1, 0),
	} {
		if got := period.next(wednesday, wednesday); !got.Equal(want) {
			t.Errorf("%s: expected %v, found %v", Periods[period], want, got)
		}
	}
	if got := Daily.next(wednesday, at(2026, time.December, 3, 1)); !got.Equal(at(2026, time.December, 3, 0)) {
		t.Errorf("after days without a pass: found %v", got)
	}
	if got := Quarterly.next(at(2026, time.May, 5, 1), at(2026, time.May, 5, 1)); !got.Equal(at(2026, time.July, 1, 0)) {
		t.Errorf("second quarter: found %v", got)
	}

	settings := DefaultSettings()
	settings.HalfLife, settings.Reset = 0, Daily
	tree, err := NewTree(settings, withSums(example))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewLedger(tree, nil); err == nil || !strings.Contains(err.Error(), "PriorityUsageResetPeriod") {
		t.Errorf("expected an error without dates, found %v", err)
	}
	ledger, err := NewLedger(tree, func(at float64) time.Time { return wednesday.Add(time.Duration(at) * time.Second) })
	if err != nil {
		t.Fatal(err)
	}
	ledger.Pass(0, nil)
	if ledger.Pass(11*3600-1, nil); tree.Share(root).Usage != 10000 {
		t.Errorf("before midnight: found %v", tree.Share(root).Usage)
	}
	if ledger.Pass(11*3600, nil); tree.Share(root).Usage != 0 {
		t.Errorf("at midnight: found %v", tree.Share(root).Usage)
	}
	settings.Reset = Now
	if tree, err = NewTree(settings, withSums(example)); err != nil {
		t.Fatal(err)
	}
	if ledger, err = NewLedger(tree, nil); err != nil {
		t.Fatal(err)
	}
	if ledger.Pass(0, nil); tree.Share(root).Usage != 0 {
		t.Errorf("NOW: found %v", tree.Share(root).Usage)
	}
}
