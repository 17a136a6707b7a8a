package page

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// isBusy says that the machine has more to do than it has processors, so that any task may wait.
func isBusy() bool {
	text, err := os.ReadFile("/proc/loadavg")
	var load float64
	if err == nil {
		_, err = fmt.Sscan(string(text), &load)
	}
	return err == nil && load > 2*float64(runtime.NumCPU())
}

// The page answers while four solvers run: no task of its own takes longer than a tenth of a second, and Stop gives the best so far. What else the machine does
// can only make tasks longer, so the best of three rounds counts.
func TestBusy(t *testing.T) {
	busy := isBusy()
	b := open(t, 1400, "light", "")
	b.solved(1)
	for range 3 {
		b.click("#add-solver")
	}
	b.run(chromedp.Evaluate(`{ const set = (id, v) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event("change")); };
		for (let k = 0; k < 4; k++) set("solver-" + k, "search"); set("kind", "time"); set("amount", "60");
		window.long = []; new PerformanceObserver(list => window.long.push(...list.getEntries().map(e => e.duration))).observe({ type: "longtask" }); }`, nil))
	least := 1e9
	for range 3 {
		b.run(chromedp.Evaluate(`window.long.length = 0`, nil))
		b.click("#run")
		b.until("all run", `document.querySelectorAll("#cards .facts strong").length === 8`)
		value[bool](b, `new Promise(done => setTimeout(() => done(true), 2500))`)
		longest := slices.Max(append(value[[]float64](b, `window.long`), 0))
		b.click("#stop")
		b.solved(4)
		if got := b.text("#comparison tbody"); got == "" {
			t.Error("nothing is left of runs that were stopped")
		}
		if least = min(least, longest); least <= 100 {
			break
		}
	}
	b.quiet("busy")
	t.Logf("the longest task took %.0f ms", least)
	switch {
	case least > 100 && busy:
		t.Skipf("the machine does other work: the longest task took %.0f ms, which says nothing of the page", least)
	case least > 100:
		t.Errorf("the longest task took %.0f ms, want at most 100", least)
	}
}
