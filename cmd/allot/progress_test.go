package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"

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

// openTerminal is a pseudo-terminal of a size in rows and columns. shown closes it and returns what was written to it.
func openTerminal(t *testing.T, rows, columns uint16) (terminal *os.File, shown func() string) {
	t.Helper()
	if !terminals {
		t.Skip("no pseudo-terminals here")
	}
	reader, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = reader.Close(), terminal.Close() })
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: rows, Cols: columns}); err != nil {
		t.Fatal(err)
	}
	return terminal, func() string {
		if err := terminal.Close(); err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(reader) // ends with an error once nobody has the terminal any more
		return string(text)
	}
}

// On a terminal the line takes one column less than there is, and 80 columns count where the terminal does not say how many it has.
func TestProgressLineOnATerminal(t *testing.T) {
	title := strings.Repeat("abcdefghij", 9)
	for _, c := range []struct {
		rows, columns uint16
		want          int
	}{{10, 40, 39}, {50, 20, 19}, {50, 2, 1}, {50, 1, 79}, {50, 0, 79}} {
		terminal, shown := openTerminal(t, c.rows, c.columns)
		p := &progress{w: terminal, terminal: terminal, title: title, began: time.Now()}
		p.show()
		if got, want := shown(), eraseLine+title[:c.want]; got != want {
			t.Errorf("%d columns: %q, expected %q", c.columns, got, want)
		}
	}
}

// With NO_COLOR set a terminal gets plain lines, as a file does; empty, it counts as not set.
func TestProgressWithoutColour(t *testing.T) {
	terminal, _ := openTerminal(t, 24, 80)
	for value, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", value)
		p := newProgress(terminal, "suite", 1)
		if got := p.visible(); got != want {
			t.Errorf("NO_COLOR=%s: the line is rewritten: %t", value, got)
		}
		p.finish()
	}
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
