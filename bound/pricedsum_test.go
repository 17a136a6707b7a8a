package bound

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// onNamedMachines is an instance of jobs of one processor each, on machines that are named one by one.
func onNamedMachines(t *testing.T, jobs, machines int) *model.Instance {
	t.Helper()
	list := func(n int, element string) string {
		all := make([]string, n)
		for k := range all {
			all[k] = fmt.Sprintf(element, k, 1+k%7)
		}
		return strings.Join(all, ",")
	}
	text := `{"schema": "allot/instance/1", "objective": {"mean_wait": 1}, "clusters": [{"id": "c", "machines": [` + list(machines, `{"id": "m%d", "processors": %d}`) + `]}],
		"jobs": [` + list(jobs, `{"id": "j%d", "work": %d}`) + `]}`
	in, err := model.ReadInstance(strings.NewReader(text), "machines")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestPricedSumPassesBeforeItIsLarge: a method whose table would be too large proves nothing, and takes neither the memory nor the time to find that out.
func TestPricedSumPassesBeforeItIsLarge(t *testing.T) {
	for _, c := range []struct {
		jobs, machines int
		known          bool
		most           uint64 // bytes that are allocated
	}{
		{300, 40, true, 50e6},
		{3000, 1213, false, 500e6}, // 3.6 million ways
		{16000, 1213, false, 1e6},  // too many to look at
	} {
		r := newRelaxation(t.Context(), onNamedMachines(t, c.jobs, c.machines))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		input, _ := pricedSum{"mean_wait"}.input(t.Context(), r)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; (input != nil) != c.known || took > c.most {
			t.Errorf("%d jobs on %d machines: an input %v, %d bytes; expected %v and at most %d", c.jobs, c.machines, input != nil, took, c.known, c.most)
		}
	}
}

// TestPricedSumHearsTheEnd: it makes no input once its context has ended.
func TestPricedSumHearsTheEnd(t *testing.T) {
	r := newRelaxation(t.Context(), onNamedMachines(t, 300, 40))
	ended, end := context.WithCancel(t.Context())
	end()
	for _, metric := range []string{"mean_wait", "missed"} {
		if input, _ := (pricedSum{metric}).input(ended, r); input != nil {
			t.Errorf("%s: an input after the end", metric)
		}
	}
}

// TestFill compares with a table of all sums.
func TestFill(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 5))
	less := 0
	for range 3000 {
		count := make([]int, 2+rng.IntN(70))
		for range rng.IntN(6) {
			count[1+rng.IntN(len(count)-1)] += 1 + rng.IntN(2)
		}
		sums := map[int]bool{0: true}
		for size, n := range count {
			for range n {
				more := map[int]bool{}
				for sum := range sums {
					more[sum], more[sum+size] = true, true
				}
				sums = more
			}
		}
		most := len(count) - 1
		for !sums[most] {
			most--
		}
		if got := fill(count); got != most {
			t.Fatalf("sizes %v: %d; expected %d", count, got, most)
		}
		if most > 0 && most < len(count)-1 {
			less++
		}
	}
	if less < 1000 {
		t.Errorf("only %d cases in which some processors are never held", less)
	}
}
