package spread

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tasksOf shares tasks among processors of the given speeds.
func tasksOf(tasks int, speeds []float64) []int {
	if len(speeds) == 0 {
		return nil
	}
	groups := make([]group, len(speeds))
	for k := range groups {
		groups[k] = group{machine: int32(k), processors: 1}
	}
	newRatios(speeds).share(tasks, groups, 0, false)
	of := make([]int, len(speeds))
	for k := range groups {
		of[k] = groups[k].tasks + groups[k].more
	}
	return of
}

// Worked values of the rule of the tasks.
func TestTasks(t *testing.T) {
	for name, c := range map[string]struct {
		tasks  int
		speeds []float64
		want   []int
	}{
		"one processor":         {5, []float64{3}, []int{5}},
		"equal":                 {8, []float64{2, 2, 2, 2}, []int{2, 2, 2, 2}},
		"equal and a fraction":  {3, []float64{0.1, 0.1, 0.1}, []int{1, 1, 1}}, // 3·0.1/(0.1+0.1+0.1) is less than 1 in float64
		"the first get more":    {10, []float64{1, 1, 1, 1}, []int{3, 3, 2, 2}},
		"one to two":            {9, []float64{1, 2}, []int{3, 6}},
		"one to two, by tenths": {9, []float64{0.1, 0.2}, []int{3, 6}},
		// 10·(1, 2, 4)/7 = 1.43, 2.86, 5.71: 1, 2, 5; the next task would end at 2/1, 3/2, 6/4: the second of the equal ones, then the third.
		"what is left":          {10, []float64{1, 2, 4}, []int{1, 3, 6}},
		"a tie":                 {1, []float64{2, 2}, []int{1, 0}},
		"a tie of unequal ones": {2, []float64{1, 2}, []int{1, 1}}, // 0.67, 1.33: 0, 1; then 1/1 = 2/2: the lower index
		"fewer than processors": {2, []float64{1, 1, 1}, []int{1, 1, 0}},
		// 2·(1, 5.5)/6.5 = 0.31, 1.69: 0, 1; then 1/1 against 2/5.5: the fast one has both.
		"a slow one gets none": {2, []float64{1, 5.5}, []int{0, 2}},
		"extremes":             {1000, []float64{1e-9, 1e12}, []int{0, 1000}},
		"extremes, both":       {7, []float64{1e-9, 1e12, 1e-9, 1e12}, []int{0, 4, 0, 3}},
		"magnitudes":           {3, []float64{1e-18, 1e18, 1e-18}, []int{0, 3, 0}},
		// 11 tasks: the fast one's 11·10/20 = 5.5 → 5, each slow one's 0.55 → 0; 6 are left: 6/10, 7/10, … 10/10 come before or with 1/1, and at
		// 10/10 = 1/1 the lowest index, the fast one, wins; the last goes to the first slow one.
		"one fast and ten slow": {11, []float64{10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		"no processor":          {5, nil, nil},
	} {
		if got := tasksOf(c.tasks, c.speeds); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, expected %v", name, got, c.want)
		}
	}
}

// plainTasks is the rule of the tasks with fractions, one task at a time.
func plainTasks(tasks int, speeds []float64, first int) []int {
	sum := new(big.Rat)
	for _, s := range speeds {
		sum.Add(sum, new(big.Rat).SetFloat64(s))
	}
	given, left := make([]int, len(speeds)), tasks-first*len(speeds)
	shared := big.NewRat(int64(left), 1)
	for k, s := range speeds {
		q := new(big.Rat).Quo(new(big.Rat).Mul(shared, new(big.Rat).SetFloat64(s)), sum)
		b := int(new(big.Int).Quo(q.Num(), q.Denom()).Int64())
		given[k], left = first+b, left-b
	}
	for ; left > 0; left-- {
		best, when := 0, (*big.Rat)(nil)
		for k, s := range speeds {
			end := new(big.Rat).Quo(big.NewRat(int64(given[k]+1), 1), new(big.Rat).SetFloat64(s))
			if when == nil || end.Cmp(when) < 0 {
				best, when = k, end
			}
		}
		given[best]++
	}
	return given
}

// The rule in whole numbers equals the rule in fractions, for groups of processors too.
func TestTasksAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := [][]float64{{math.Nextafter(1, 2), 1024, 2000}, {1}, {1, 2, 3}, {0.1, 0.2, 0.3, 0.7}, {1, 1.3, 1.7, 2.2, 2.8, 3.5, 4.4, 5.5}, {1e-9, 1, 1e12}, {1e-18, 1, 1e18}}
		speeds := rapid.SampledFrom(kinds).Draw(t, "speeds")
		var groups []group
		var each, of []float64 // by processor and by group
		for k := range rapid.IntRange(1, 6).Draw(t, "groups") {
			speed := rapid.SampledFrom(speeds).Draw(t, "speed")
			g := group{machine: int32(k), processors: rapid.IntRange(1, 5).Draw(t, "processors")}
			groups, of = append(groups, g), append(of, speed)
			each = append(each, slices.Repeat([]float64{speed}, g.processors)...)
		}
		first := rapid.IntRange(0, 1).Draw(t, "first")
		tasks := rapid.IntRange(1, 100).Draw(t, "tasks") + first*len(each)
		want := plainTasks(tasks, each, first)
		newRatios(of).share(tasks, groups, first, false)
		var got []int
		for _, g := range groups {
			for k := range g.processors {
				b := g.tasks
				if k < g.more {
					b++
				}
				got = append(got, b)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d tasks, speeds %v, first %d: %v, fractions say %v", tasks, each, first, got, want)
		}
		if first == 0 && !slices.Equal(tasksOf(tasks, each), want) {
			t.Fatalf("%d tasks, speeds %v: processor by processor %v, fractions say %v", tasks, each, tasksOf(tasks, each), want)
		}
	})
}

// No division of the tasks ends sooner.
func TestTasksEndSoonest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		speeds := rapid.SliceOfN(rapid.SampledFrom([]float64{0.5, 1, 1.3, 2, 5.5}), 1, 3).Draw(t, "speeds")
		tasks := rapid.IntRange(0, 8).Draw(t, "tasks")
		end := func(of []int) float64 {
			last := 0.0
			for k, b := range of {
				last = max(last, float64(b)/speeds[k])
			}
			return last
		}
		got := end(tasksOf(tasks, speeds))
		of := make([]int, len(speeds))
		var try func(k, left int)
		try = func(k, left int) {
			if of[k] = left; k == len(of)-1 {
				if end(of) < got {
					t.Fatalf("%d tasks, speeds %v: %v ends sooner than %v", tasks, speeds, of, tasksOf(tasks, speeds))
				}
				return
			}
			for b := range left + 1 {
				of[k] = b
				try(k+1, left-b)
			}
		}
		try(0, tasks)
	})
}

// The time rule of the model, one task at a time with fractions: one task for each processor while there are enough, then each to the processor
// that is done with it first.
func TestTasksOfAllAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := [][]float64{{1}, {1, 2, 3}, {0.1, 0.2, 0.3, 0.7}, {1, 1.3, 1.7, 2.2, 2.8, 3.5, 4.4, 5.5}, {1e-9, 1, 1e12}}
		speeds := rapid.SampledFrom(kinds).Draw(t, "speeds")
		even := rapid.IntRange(0, 3).Draw(t, "even") == 0
		var groups []group
		var of []float64
		var want, at []int // tasks of each processor, and its group
		for k := range rapid.IntRange(1, 6).Draw(t, "groups") {
			g := group{machine: int32(k), processors: rapid.IntRange(1, 5).Draw(t, "processors")}
			groups, of = append(groups, g), append(of, rapid.SampledFrom(speeds).Draw(t, "speed"))
			for range g.processors {
				want, at = append(want, 0), append(at, k)
			}
		}
		tasks := rapid.IntRange(1, 60).Draw(t, "tasks")
		left := tasks
		if tasks >= len(want) {
			left -= len(want)
			for k := range want {
				want[k] = 1
			}
		}
		for ; left > 0; left-- {
			best, when := 0, (*big.Rat)(nil)
			for k := range want {
				end := big.NewRat(int64(want[k]+1), 1)
				if !even {
					end.Quo(end, new(big.Rat).SetFloat64(of[at[k]]))
				}
				if when == nil || end.Cmp(when) < 0 {
					best, when = k, end
				}
			}
			want[best]++
		}
		newRatios(of).shareAll(tasks, groups, even)
		var got []int
		for _, g := range groups {
			for k := range g.processors {
				got = append(got, g.tasks+max(0, min(1, g.more-k)))
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d tasks, speeds %v by group, even %v: %v, fractions say %v", tasks, of, even, got, want)
		}
	})
}
