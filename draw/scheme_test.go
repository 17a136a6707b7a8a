package draw

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// TestDistance: distances of colours in CIELAB for the worst of four visions, as another program computes them.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b int
		want float64
	}{{0, 1, 58}, {0, 2, 15}, {2, 6, 19}, {5, 7, 11}, {3, 15, 1}, {8, 6, 5}, {4, 4, 0}} {
		if got := picture.Distance(fillColour(c.a), fillColour(c.b)); math.Round(got) != c.want {
			t.Errorf("fills %d and %d: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestNeighboursHaveUnlikeFills compares every two blocks that touch, found by looking at all pairs. Those of different jobs can be told apart by readers with any of
// the visions.
func TestNeighboursHaveUnlikeFills(t *testing.T) {
	for _, sol := range []*model.Solution{random(300, 12, 4), random(300, 64, 20), random(200, 5, 1)} {
		l, err := newLayout(sol, nil, RowsProcessors)
		if err != nil {
			t.Fatal(err)
		}
		fills := l.fillsOfJobs()
		touching := 0
		for a := range l.blocks {
			for b := range l.blocks[:a] {
				p, q := &l.blocks[a], &l.blocks[b]
				sameTime, sameProcessors := p.start < q.end && q.start < p.end, p.first <= q.last && q.first <= p.last
				beside := sameTime && (p.first == q.last+1 || q.first == p.last+1)
				after := sameProcessors && (p.start == q.end || q.start == p.end)
				if p.job == q.job || !beside && !after {
					continue
				}
				touching++
				if d := picture.Distance(fillColour(fills[p.job]), fillColour(fills[q.job])); d < leastDistance {
					t.Fatalf("%s and %s touch and have fills %d and %d, %v apart", l.jobs[p.job].id, l.jobs[q.job].id, fills[p.job], fills[q.job], d)
				}
			}
		}
		if touching < 300 {
			t.Errorf("%d blocks touch", touching)
		}
		if again := l.fillsOfJobs(); !slices.Equal(fills, again) {
			t.Error("the fills differ from themselves")
		}
	}
}

// TestSchemes: each meaning puts each job into the class that its name says.
func TestSchemes(t *testing.T) {
	sol, in := crowd(t, 3_000, 12)
	l, err := newLayout(sol, in, RowsProcessors)
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]float64{}
	for k := range l.blocks {
		b := &l.blocks[k]
		held[l.jobs[b.job].user] += (b.end - b.start) * float64(b.last-b.first+1)
	}
	for _, by := range Colours() {
		s, err := newScheme(l, by, mostClasses)
		if err != nil {
			t.Fatal(err)
		}
		if by == ByJob {
			continue
		}
		for k := range l.jobs {
			j, name := &l.jobs[k], s.names[s.of[k]]
			ok := false
			switch by {
			case ByUser:
				ok = name == "user "+j.user || name == "5 other users"
				if name == "5 other users" {
					for class := range s.names[:len(s.names)-1] {
						ok = ok && held[strings.TrimPrefix(s.names[class], "user ")] >= held[j.user]
					}
				}
			case ByWait:
				class := s.of[k]
				ok = j.wait() == 0 == (class == 0)
				if class > 1 {
					ok = ok && j.wait() > waitLimitOf(t, s.names[class-1])
				}
				if class > 0 {
					ok = ok && j.wait() <= waitLimitOf(t, name)
				}
			case ByLate:
				ok = name == map[bool]string{true: "late", false: "on time"}[j.end > j.deadline]
			}
			if !ok {
				t.Fatalf("by %s: %s of %s, which waited %v, is in the class %q", by, j.id, j.user, j.wait(), name)
			}
		}
	}
}

// waitLimitOf reads the limit in the name of a class of waits, in seconds.
func waitLimitOf(t *testing.T, name string) float64 {
	t.Helper()
	var n float64
	var unit string
	if _, err := fmt.Sscanf(name, "wait up to %g %s", &n, &unit); err != nil {
		t.Fatal(err)
	}
	return n * map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400}[unit]
}

// TestWaitLimits: limits of classes are familiar, and the last is not below the longest wait.
func TestWaitLimits(t *testing.T) {
	for _, c := range []struct {
		longest float64
		unit    string
		want    []float64
	}{
		{0, "s", nil}, {30, "s", []float64{1, 10, 60}}, {86401, "s", []float64{60, 600, 3600, 21600, 86400, 604800}}, {90, "min", []float64{10. / 60, 1, 10, 60, 360}}, {25, "ticks", []float64{1e-3, 0.01, 0.1, 1, 10, 100}},
	} {
		got := waitLimits(c.longest, c.unit, 6)
		if c.unit == "min" {
			got = got[1:] // the first second
		}
		if !cmp.Equal(got, c.want, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9*b })) {
			t.Errorf("%v %s: %v, want %v", c.longest, c.unit, got, c.want)
		}
	}
}

// What a schedule does not state cannot be a colour.
func TestSchemesSayWhatIsMissing(t *testing.T) {
	small, in := small(t)
	_, bare := example(t)
	two, _ := example(t)
	for _, c := range []struct {
		sol  *model.Solution
		opt  GanttOptions
		want string
	}{
		{small, GanttOptions{Colour: ByWait}, "colours by wait: expected the instance"},
		{small, GanttOptions{Colour: "size", Instance: in}, `unknown meaning of colours "size": expected job, user, wait or late`},
		{small, GanttOptions{Colour: ByUser, Instance: in}, "expected jobs that state their user, found none"},
		{bare, GanttOptions{Colour: ByLate, Instance: two}, "expected jobs that have a deadline, found none"},
		{small, GanttOptions{View: "fish"}, `unknown view "fish": expected auto, jobs or load`},
		{small, GanttOptions{Window: Window{From: 5, To: 3, HasFrom: true, HasTo: true}}, "window from 5 to 3: expected the start before the end"},
		{small, GanttOptions{Instance: in, Window: Window{From: 96, HasFrom: true}}, "expected a part of the schedule, which runs from 0 s to 1 min 35 s"},
		{small, GanttOptions{Window: Window{To: -1, HasTo: true}}, "expected a part of the schedule"},
		{small, GanttOptions{Window: Window{To: math.NaN(), HasTo: true}}, "expected a finite number"},
	} {
		if _, err := Gantt(c.sol, c.opt); err == nil || !strings.HasPrefix(err.Error(), "draw: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}
