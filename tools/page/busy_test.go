package page

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// mostBlocked is how long a task of the page may take, in milliseconds.
const mostBlocked = 100

// isBusy says that the machine has more to do than it has processors, so that any task may wait.
func isBusy() bool {
	text, err := os.ReadFile("/proc/loadavg")
	var load float64
	if err == nil {
		_, err = fmt.Sscan(string(text), &load)
	}
	return err == nil && load > 2*float64(runtime.NumCPU())
}

// watch begins to note the tasks of the page that take long, and shows by one that does that it notes them.
func (b *tab) watch() {
	b.t.Helper()
	b.run(chromedp.Evaluate(`window.long = [];
		new PerformanceObserver(list => window.long.push(...list.getEntries().map(e => e.duration))).observe({ type: "longtask" });
		setTimeout(() => { for (const end = performance.now() + 150; performance.now() < end;); }); 0`, nil))
	b.until("a long task is noted", `window.long.some(ms => ms >= 150)`)
}

// unblocked fails if the page is blocked for long in each of three rounds of work: what else the machine does can only make tasks longer, so the best round counts.
func (b *tab) unblocked(work func()) {
	b.t.Helper()
	busy, least := isBusy(), 1e9
	for range 3 {
		b.run(chromedp.Evaluate(`window.long.length = 0`, nil))
		work()
		longest := slices.Max(append(value[[]float64](b, `new Promise(done => setTimeout(() => done(window.long)))`), 0))
		if least = min(least, longest); least <= mostBlocked {
			break
		}
	}
	b.t.Logf("the longest task took %.0f ms", least)
	switch {
	case least > mostBlocked && busy:
		b.t.Log("the machine does other work, so that this says nothing of the page")
	case least > mostBlocked:
		b.t.Errorf("the longest task took %.0f ms, want at most %d", least, mostBlocked)
	}
}

// The page answers while four solvers run, and Stop gives the best so far.
func TestBusy(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	for range 3 {
		b.click("#add-solver")
	}
	b.set("solver-0", "search", "solver-1", "search", "solver-2", "search", "solver-3", "search", "kind", "time", "amount", "60")
	b.watch()
	b.unblocked(func() {
		b.click("#run")
		b.until("all run", `document.querySelectorAll("#cards .facts strong").length === 8`)
		value[bool](b, `new Promise(done => setTimeout(() => done(true), 1500))`) // they work
		b.click("#stop")
		b.solved(4)
		if got := b.text("#comparison tbody"); got == "" {
			t.Error("nothing is left of runs that were stopped")
		}
	})
	b.quiet("busy")
}

// The page answers while it reads, solves and draws a trace of 28,000 jobs, shows its text and changes it.
func TestBigTrace(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	b.set("solver-0", "easy")
	b.run(chromedp.Evaluate(`fetch("examples/KTH-SP2-1996-2.swf.gz").then(r => r.blob()).then(b => { window.trace = new File([b], "kth.swf.gz"); }); 0`, nil))
	b.until("the trace is here", `window.trace instanceof File`)
	b.watch()
	b.unblocked(func() {
		b.set("example", "tiny.json")
		b.until("a small instance", rows(3))
		b.solved(1)
		b.drop("solve", "window.trace")
		b.until("the trace is the instance", rows(100))
		b.until("it is solved", `document.getElementById("stale").hidden`)
		b.solved(1)
	})
	if got := b.text(".line .line"); got != "◀ Earlierjobs 1–100 of 28,481 jobsLater ▶" {
		t.Errorf("the table says %q", got)
	}
	b.click("#tab-text")
	b.until("the text", `document.getElementById("editor").shadowRoot.querySelectorAll(".cm-line").length > 10`)
	if n := value[int](b, `document.getElementById("editor").shadowRoot.querySelectorAll(".cm-line").length`); n > 200 {
		t.Errorf("%d lines of the text are drawn, and few can be seen", n)
	}
	b.click("#tab-jobs")
	b.click(`button[aria-label="Remove 1"]`)
	b.until("removed", `document.querySelector(".line .line").textContent.includes("28,480 jobs") && !document.getElementById("stale").hidden`)
	b.click("#undo")
	b.until("back", `document.querySelector(".line .line").textContent.includes("28,481 jobs") && document.getElementById("stale").hidden`)
	b.quiet("a big trace")
}
