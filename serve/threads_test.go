package serve

import (
	"runtime"
	"testing"
)

// Each run has a thread of its own, and there is one for whoever reads and writes; but there are not as many as a flag may ask for.
func TestPrepare(t *testing.T) {
	before := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(before)
	defer func() { ballast = nil }()
	for _, c := range []struct{ runs, want int }{{32, 34}, {1, 3}, {100_000, mostThreads}} {
		runtime.GOMAXPROCS(2)
		Prepare(Limits{Runs: c.runs})
		if threads := runtime.GOMAXPROCS(0); threads != c.want {
			t.Errorf("%d runs: %d threads, want %d", c.runs, threads, c.want)
		}
	}
	runtime.GOMAXPROCS(mostThreads + 5)
	Prepare(Limits{Runs: 1})
	if threads := runtime.GOMAXPROCS(0); threads != mostThreads+5 {
		t.Errorf("%d threads where there were %d", threads, mostThreads+5)
	}
}

// A comparison counts its runs over all instances.
func TestComparisonCounts(t *testing.T) {
	tiny := quoted(example(t, "tiny"))
	var counts []int
	r := doNow(New(Options{Limits: Public()}), &Client{}, named(t, "compare"), []byte(`{"solvers": ["mct", "olb"], "instances": [`+tiny+`, `+tiny+`]}`), func(p any) {
		counts = append(counts, p.(RowProgress).Done)
	})
	if r.err != nil || len(counts) != 4 || counts[0] != 1 || counts[3] != 4 {
		t.Errorf("%v: counted %v", r.err, counts)
	}
}
