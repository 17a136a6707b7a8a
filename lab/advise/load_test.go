package advise

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
)

// The load by hour is that of counting, minute by minute, which jobs run.
func TestHoursNaive(t *testing.T) {
	in, needs := site(t)
	asked := input(in, needs)
	sol, err := asked.Run(t.Context(), "easy", in)
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{Input: asked, ctx: t.Context(), base: sol, second: 1}
	first, last := in.Jobs()[0].Arrival, in.Jobs()[len(in.Jobs())-1].Arrival
	p := &LoadPart{}
	m.hours(p, first, last)
	const step = 60.0
	n := int((last - first) / step)
	change := make([]float64, n+2)
	at := func(x float64) int { return max(0, min(n+1, int(math.Ceil((x-first)/step-0.5)))) }
	for _, placed := range sol.Jobs {
		width := float64(placed.Processors.Len())
		change[at(placed.Start)] += width
		change[at(placed.End)] -= width
	}
	var held, count [7][24]float64
	running := 0.0
	zero, _ := in.TimeZero()
	for k := range n {
		running += change[k]
		when := time.Unix(int64(zero+first+(float64(k)+0.5)*step), 0).UTC()
		d := (int(when.Weekday()) + 6) % 7
		held[d][when.Hour()] += running
		count[d][when.Hour()]++
	}
	for d := range held {
		for h := range held[d] {
			want := held[d][h] / count[d][h] / float64(in.Processors())
			// A start counts from the nearest minute on.
			if got := p.Hours[d][h]; math.Abs(got-want) > 0.002 {
				t.Errorf("%s at %d h: %v, expected %v", days[d], h, got, want)
			}
		}
	}
}

// Hours of the week that are not in a trace are not its emptiest, and have no load.
func TestHoursNotThere(t *testing.T) {
	zero := 1767571200.0 // Monday, 0 h
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Name: "day", Units: &model.Units{Time: "s"}, TimeZero: &zero, TimeZone: "UTC", Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}},
		Caveats: []string{"something is left out"}}
	for k := range 12 { // from 10 h to 21 h, 2 of 4 processors, in the hour from 15 h on 1
		width := 2
		if k == 5 {
			width = 1
		}
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: string(rune('a' + k)), Arrival: 36000 + 3600*float64(k), Processors: model.Rigid(width), Work: new(3600.0)})
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	asked := input(in, nil)
	asked.Only = partLoad
	r, err := Make(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Load.fullest(); got != " Fullest is Mon at 10 h (50 %), emptiest Mon at 15 h (25 %)." {
		t.Errorf("found %q", got)
	}
	if r.Load.Hours[0][9] != -1 || r.Load.Hours[1][10] != -1 || r.Load.Hours[0][20] != 0.5 {
		t.Errorf("found %v", r.Load.Hours)
	}
	text := r.Text()
	if !strings.HasPrefix(text, "warning: something is left out\n1. ") {
		t.Errorf("the warning does not come first:\n%s", text)
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "│ Tue") && strings.Count(line, "?") != 6 {
			t.Errorf("a day that is not there: %s", line)
		}
		if strings.Contains(line, "│ Mon") && !(strings.Contains(line, "44 %") && strings.Count(line, "?") == 2) { // 12–15 h: 50, 50, 50 and 25
			t.Errorf("the day that is there: %s", line)
		}
	}
}

// Jobs that get no place are counted before all else.
func TestJobsWithoutPlace(t *testing.T) {
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Name: "n", Units: &model.Units{Time: "s"}, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}}, Caveats: []string{"first"}}
	for k := range 12 {
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: string(rune('a' + k)), Arrival: 3600 * float64(k), Processors: model.Rigid(4 + k%3), Work: new(3600.0)})
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Make(t.Context(), input(in, nil))
	if err != nil {
		t.Fatal(err)
	}
	const want = "warning: first\nwarning: 8 of 12 jobs get no place under easy: what is said of waits and of load\n  is of the others\n1. "
	if !strings.HasPrefix(r.Text(), want) || len(in.Caveats()) != 1 {
		t.Errorf("found %s", r.Text())
	}
}

// The share of more nodes is that of those that are added, which is above the one asked for where there are few.
func TestMoreNodesOfFew(t *testing.T) {
	spec := model.InstanceSpec{Schema: model.InstanceSchema, Name: "n", Units: &model.Units{Time: "s"}, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4, Processors: 16}}}}}
	for k := range 12 {
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: string(rune('a' + k)), Arrival: 3600 * float64(k), Processors: model.Rigid(4), Work: new(3600.0)})
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	asked := input(in, nil)
	asked.Only, asked.More = partLoad, 0.1
	r, err := Make(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	if text := r.Text(); r.Load.Part != 0.25 || r.Load.Added != 16 || !strings.Contains(text, "With 25 % more nodes (16 processors more), and the same jobs:") || !strings.Contains(text, "easy with 25 % more nodes") {
		t.Errorf("found %v, %d: %s", r.Load.Part, r.Load.Added, text)
	}
}
