package rcpsp_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/rcpsp"
	"github.com/allot-opt/allot/model"
)

// drawn is a project without cycles: activities in any order, of which few may be dummies.
type drawn struct {
	capacity   []int
	duration   []int
	demand     [][]int
	successors [][]int // counted from 0
}

// draw draws a project. A hidden order of the activities decides which of two may precede the other, so the first and the last of the file may stand in the middle.
func draw(t *rapid.T) drawn {
	n := rapid.IntRange(1, 9).Draw(t, "activities")
	p := drawn{capacity: rapid.SliceOfN(rapid.IntRange(0, 5), 0, 3).Draw(t, "capacity")}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	order = rapid.Permutation(order).Draw(t, "order")
	for k := range n {
		p.duration = append(p.duration, rapid.IntRange(0, 2).Draw(t, "duration"))
		var demand, successors []int
		for _, units := range p.capacity {
			demand = append(demand, rapid.IntRange(0, units).Draw(t, "demand")*rapid.IntRange(0, 1).Draw(t, "needed"))
		}
		for next := range n {
			if order[k] < order[next] && rapid.IntRange(0, 2).Draw(t, "precedes") == 0 {
				successors = append(successors, next)
			}
		}
		p.demand, p.successors = append(p.demand, demand), append(p.successors, successors)
	}
	return p
}

// patterson writes the project in the layout of Patterson, with blanks and ends of lines anywhere.
func (p drawn) patterson(t *rapid.T) string {
	numbers := append([]int{len(p.duration), len(p.capacity)}, p.capacity...)
	for k, duration := range p.duration {
		numbers = append(numbers, duration)
		numbers = append(numbers, p.demand[k]...)
		numbers = append(numbers, len(p.successors[k]))
		for _, next := range p.successors[k] {
			numbers = append(numbers, next+1)
		}
	}
	var text strings.Builder
	for _, x := range numbers {
		fmt.Fprint(&text, x, rapid.SampledFrom([]string{" ", "\t", "\n", " \r\n", "\n\n  "}).Draw(t, "gap"))
	}
	return text.String()
}

// psplib writes the project in the layout of PSPLIB.
func (p drawn) psplib(end string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+end, args...) }
	rule := strings.Repeat("*", 72)
	line("%s", rule)
	line("projects                      :  1")
	line("jobs (incl. supersource/sink ):  %d", len(p.duration))
	line("RESOURCES")
	line("  - renewable                 :  %d   R", len(p.capacity))
	line("  - nonrenewable              :  0   N")
	line("%s", rule)
	line("PRECEDENCE RELATIONS:")
	line("jobnr.    #modes  #successors   successors")
	for k, successors := range p.successors {
		var list strings.Builder
		for _, next := range successors {
			fmt.Fprint(&list, "  ", next+1)
		}
		line("%4d        1  %9d  %s", k+1, len(successors), &list)
	}
	line("%s", rule)
	line("REQUESTS/DURATIONS:")
	line("jobnr. mode duration  R 1")
	line("%s", strings.Repeat("-", 72))
	for k, duration := range p.duration {
		line("%3d      1  %4d   %s", k+1, duration, strings.Trim(fmt.Sprint(p.demand[k]), "[]"))
	}
	line("%s", rule)
	line("RESOURCEAVAILABILITIES:")
	if len(p.capacity) > 0 {
		line("  R 1")
		line("%s", strings.Trim(fmt.Sprint(p.capacity), "[]"))
	}
	line("%s", rule)
	return b.String()
}

// closure returns which activity comes after which, at once or through others (Floyd, Warshall).
func (p drawn) closure() [][]bool {
	n := len(p.duration)
	after := make([][]bool, n)
	for k := range n {
		after[k] = make([]bool, n)
		for _, next := range p.successors[k] {
			after[k][next] = true
		}
	}
	for via := range n {
		for a := range n {
			for b := range n {
				after[a][b] = after[a][b] || after[a][via] && after[via][b]
			}
		}
	}
	return after
}

// TestBothLayouts writes random projects in both layouts. The instances are the same byte by byte, and they are the project: lengths, demands, which job is there, and
// which comes after which.
func TestBothLayouts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := draw(t)
		var written [2]string
		for k, text := range []string{p.patterson(t), p.psplib(rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end"))} {
			in, report, err := rcpsp.NewReader().Read(strings.NewReader(text), "x")
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			var b bytes.Buffer
			if err := model.WriteInstance(&b, in); err != nil {
				t.Fatal(err)
			}
			written[k] = b.String()
			p.compare(t, in)
			if report.Kept != len(in.Jobs()) || report.Read != len(p.duration) {
				t.Errorf("%v", report)
			}
		}
		if written[0] != written[1] {
			t.Errorf("Patterson's layout:\n%s\nPSPLIB's:\n%s", written[0], written[1])
		}
	})
}

// compare compares the instance with the project.
func (p drawn) compare(t *rapid.T, in *model.Instance) {
	n := len(p.duration)
	job := map[string]int{}
	for k, j := range in.Jobs() {
		job[j.ID] = k
	}
	after := p.closure()
	ancestors := func(k int) (list []int) {
		seen := map[int]bool{}
		var visit func(int)
		visit = func(k int) {
			for _, before := range in.Jobs()[k].After {
				if !seen[before] {
					seen[before] = true
					visit(before)
				}
			}
		}
		visit(k)
		for before := range seen {
			list = append(list, before)
		}
		slices.Sort(list)
		return list
	}
	for k := range n {
		id := fmt.Sprint(k + 1)
		at, kept := job[id]
		dummy := (k == 0 || k == n-1) && p.duration[k] == 0 && !slices.ContainsFunc(p.demand[k], func(units int) bool { return units > 0 })
		if kept == dummy {
			t.Fatalf("activity %s: kept %v, a dummy %v", id, kept, dummy)
		}
		if !kept {
			continue
		}
		spec := in.JobSpec(at)
		if *spec.Work != float64(p.duration[k]) {
			t.Errorf("activity %s: length %v", id, *spec.Work)
		}
		for r, units := range p.demand[k] {
			if spec.Licences[fmt.Sprintf("R%d", r+1)] != units {
				t.Errorf("activity %s: %v, want %v", id, spec.Licences, p.demand[k])
			}
		}
		var want []int
		for before := range n {
			if index, ok := job[fmt.Sprint(before+1)]; ok && after[before][k] {
				want = append(want, index)
			}
		}
		if got := ancestors(at); !slices.Equal(got, want) {
			t.Errorf("activity %s comes after the jobs %v, want %v", id, got, want)
		}
	}
	if in.Processors() != max(1, len(in.Jobs())) || len(in.Clusters()) != 1 {
		t.Errorf("%d processors on %d clusters", in.Processors(), len(in.Clusters()))
	}
}
