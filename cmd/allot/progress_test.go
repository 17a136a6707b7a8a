package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Without a terminal a plain line is written every ten seconds, even if the run reports nothing; none is written before, and none at the end.
func TestProgressInALog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := newProgress(&log, "suite", 20)
		p.step()
		p.describe("search on a")
		time.Sleep(11 * time.Second)
		p.at(3)
		time.Sleep(18 * time.Second)
		p.finish()
		if want := "search on a, 1 of 20, 10s\nsearch on a, 3 of 20, 20s\n"; log.String() != want {
			t.Errorf("wrote %q, expected %q", log.String(), want)
		}
	})
}

// A run of less than ten seconds writes nothing.
func TestProgressOfAShortRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := newProgress(&log, "suite", 20)
		p.step()
		time.Sleep(9 * time.Second)
		p.finish()
		if log.Len() > 0 {
			t.Errorf("wrote %q", log.String())
		}
	})
}

// A run of solve without limit, and with one that ends soon, is followed too: the objective is in the line where the solver reports one.
func TestWatchInALog(t *testing.T) {
	in, err := model.ReadInstanceFile("../../examples/tiny.json")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w := newWatch(t.Context(), &log, in, false, 0)
		time.Sleep(11 * time.Second)
		w.observe(solve.Progress{Evaluations: 1100, Objective: 7, Bound: model.ProvedBound(5)})
		time.Sleep(11 * time.Second)
		w.end(solve.Result{})
		if want := "tiny, 10s\nobjective 7, bound 5, gap 28.57 %, 100 evaluations/s, 20s\n"; log.String() != want {
			t.Errorf("wrote %q, expected %q", log.String(), want)
		}
	})
}

// The line has the title and the time, and the steps where their number is known.
func TestProgressLine(t *testing.T) {
	p := &progress{title: "x", steps: 3, began: time.Now()}
	p.step()
	p.step()
	if got := p.line(); got != "x, 2 of 3, 0s" {
		t.Error(got)
	}
	p.steps = 0
	if got := p.line(); got != "x, 0s" {
		t.Error(got)
	}
}
