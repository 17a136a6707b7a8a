package browser

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chartState is what a Gantt chart says of itself.
type chartState struct {
	mode, chosen string
	from, to     float64
}

// chart reads the state of the chart, after it has been drawn again.
func (b *tab) chart() (s chartState) {
	b.t.Helper()
	b.settle()
	var texts []string
	b.run(chromedp.Evaluate(`(d => [d.mode, d.chosen, d.from, d.to])(document.getElementById("chart").dataset)`, &texts))
	s.mode, s.chosen = texts[0], texts[1]
	for k, x := range []*float64{&s.from, &s.to} {
		var err error
		if *x, err = strconv.ParseFloat(texts[2+k], 64); err != nil {
			b.t.Fatal(err)
		}
	}
	return s
}

// said is what the chart says aloud.
func (b *tab) said() (text string) {
	b.t.Helper()
	b.run(chromedp.Text("#says", &text, chromedp.ByQuery))
	return text
}

// pointAt moves the pointer over the chart, in pixels from its corner, and returns the hint there.
func (b *tab) pointAt(x, y float64) (hint string) {
	b.t.Helper()
	corner := b.corner()
	b.run(input.DispatchMouseEvent(input.MouseMoved, corner[0]+x, corner[1]+y))
	b.settle()
	b.run(chromedp.Evaluate(`(tip => tip.hidden ? "" : tip.textContent)(document.getElementById("tip"))`, &hint))
	return hint
}

// corner is where the chart begins.
func (b *tab) corner() (corner []float64) {
	b.t.Helper()
	b.run(chromedp.Evaluate(`(r => [r.left, r.top])(document.getElementById("chart").getBoundingClientRect())`, &corner))
	return corner
}

// TestBrowserGanttLayout looks at charts of few jobs, of 28,000, of none and of hostile ids, on a telephone and a wide screen, light and dark.
func TestBrowserGanttLayout(t *testing.T) {
	inEveryFont(t, []string{"gantt-small", "gantt-hostile", "gantt-empty", "gantt-many", "gantt-devices"}, func(b *tab, name string) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1200, 360} {
				b.look(width, scheme)
				b.check(fmt.Sprintf("%s, %d px", scheme, width))
				b.shoot(fmt.Sprintf("%s-%s-%d", name, scheme, width))
			}
		}
		b.run(chromedp.Evaluate(openAll, nil))
		b.check("everything open")
		var painted bool
		b.run(chromedp.Evaluate(`(c => new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)).size > 2)(document.getElementById("chart"))`, &painted))
		if !painted {
			b.t.Error("the chart is empty")
		}
	})
}

// TestBrowserGanttKeys moves, zooms and reads jobs by keys alone.
func TestBrowserGanttKeys(t *testing.T) {
	b := open(t, "gantt-small", widest)
	b.look(1200, "light")
	whole := b.chart()
	if whole.mode != "jobs" || whole.from != 0 || whole.to != 95 {
		t.Fatalf("at first %+v", whole)
	}
	b.run(chromedp.Focus("#chart", chromedp.ByQuery), chromedp.KeyEvent("+"))
	near := b.chart()
	if span := near.to - near.from; math.Abs(span-95/1.6) > 1e-9 {
		t.Errorf("+ shows %v, want %v", span, 95/1.6)
	}
	b.run(chromedp.KeyEvent(kb.ArrowRight))
	if moved := b.chart(); !(moved.from > near.from) || math.Abs(moved.to-moved.from-(near.to-near.from)) > 1e-9 {
		t.Errorf("to the right: %+v after %+v", moved, near)
	}
	b.run(chromedp.KeyEvent(kb.End))
	if end := b.chart(); math.Abs(end.to-95) > 1e-9 {
		t.Errorf("End shows %+v", end)
	}
	b.run(chromedp.KeyEvent("0"), chromedp.KeyEvent(kb.ArrowDown))
	if s := b.chart(); s.from != 0 || s.to != 95 || s.chosen != "rigid" {
		t.Errorf("the first job is %+v", s)
	}
	for range 4 {
		b.run(chromedp.KeyEvent(kb.ArrowDown))
	}
	if s := b.chart(); s.chosen != "late" {
		t.Errorf("the last job is %q", s.chosen)
	}
	said := b.said()
	for _, text := range []string{"late; c1: 0-3; runs 1 min – 1 min 35 s, for 35 s", "waited 1 min", "late by 15 s", "starts as rigid ends on one of its processors", "why: no earlier room <b>"} {
		if !strings.Contains(said, text) {
			t.Errorf("%q, want %q in it", said, text)
		}
	}
	b.run(chromedp.KeyEvent(kb.Enter))
	if s := b.chart(); s.from != 25 || s.to != 95 {
		t.Errorf("Enter shows %+v", s)
	}
	b.run(chromedp.KeyEvent(kb.Escape))
	if s := b.chart(); s.chosen != "" || b.said() != "" {
		t.Errorf("Escape leaves %+v", s)
	}
	b.check("keys")
}

// TestBrowserGanttPointer rests on a job and on the queue, drags, turns the wheel and chooses colours.
func TestBrowserGanttPointer(t *testing.T) {
	b := open(t, "gantt-small", widest)
	b.look(1200, "dark")
	b.chart()
	if hint := b.pointAt(200, 6); !strings.Contains(hint, "rigid\nc1: 0-3\nruns 0 s – 1 min, for 1 min\ndid not wait") {
		t.Errorf("over the first job: %q", hint)
	}
	b.shoot("gantt-small-hint")
	before, corner := b.chart(), b.corner()
	b.run(input.DispatchMouseEvent(input.MouseWheel, corner[0]+600, corner[1]+50).WithDeltaX(0).WithDeltaY(-400))
	near := b.chart()
	if !(near.to-near.from < 0.6*(before.to-before.from)) {
		t.Errorf("the wheel shows %+v", near)
	}
	b.run(input.DispatchMouseEvent(input.MousePressed, corner[0]+600, corner[1]+50).WithButton(input.Left).WithClickCount(1),
		input.DispatchMouseEvent(input.MouseMoved, corner[0]+700, corner[1]+50).WithButton(input.Left).WithButtons(1),
		input.DispatchMouseEvent(input.MouseReleased, corner[0]+700, corner[1]+50).WithButton(input.Left))
	if s := b.chart(); !(s.from < near.from) {
		t.Errorf("dragged to %+v", s)
	}
	var names []string
	b.run(chromedp.SetValue("#colour", "wait", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("colour").dispatchEvent(new Event("change")); [...document.querySelectorAll("#key li")].map(li => li.textContent)`, &names))
	if len(names) < 2 || names[0] != "no wait" {
		t.Errorf("the key by wait: %q", names)
	}
	b.check("pointer")
}

// keyTexts lists what the key says.
func (b *tab) keyTexts() (texts []string) {
	b.t.Helper()
	b.settle()
	b.run(chromedp.Evaluate(`[...document.querySelectorAll("#key li")].map(li => li.textContent)`, &texts))
	return texts
}

// TestBrowserGanttKey looks at the key of a page that begins with the load: the load is coloured by wait unless a colour was asked for, and the key says what a column
// is. Where jobs are shown, the key speaks of jobs.
func TestBrowserGanttKey(t *testing.T) {
	b := open(t, "gantt-crowd", widest)
	b.look(360, "light")
	if s := b.chart(); s.mode != "load" {
		t.Fatalf("the page begins with %s", s.mode)
	}
	texts := b.keyTexts()
	if n := len(texts); n < 3 || texts[0] != "no wait" || !strings.HasPrefix(texts[n-1], "each column: the mean over ") {
		t.Errorf("the key of the load: %q", texts)
	}
	var colour string
	b.run(chromedp.Evaluate(`document.getElementById("colour").value`, &colour))
	if colour != "wait" {
		t.Errorf("the colours are by %q", colour)
	}
	b.run(chromedp.SendKeys("#find", "j1234"+kb.Enter, chromedp.ByQuery))
	if s := b.chart(); s.mode != "jobs" {
		t.Fatalf("a job is shown as %s", s.mode)
	}
	if text := strings.Join(b.keyTexts(), "; "); strings.Contains(text, "column") || !strings.Contains(text, "hatched") {
		t.Errorf("the key of the jobs: %q", text)
	}
	// What stands left of the strips is whole on a telephone.
	var whole bool
	b.run(chromedp.Evaluate(`new Promise(done => {
		const old = CanvasRenderingContext2D.prototype.fillText, texts = [];
		CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { texts.push(text); return old.call(this, text, ...at); };
		document.getElementById("whole").click();
		requestAnimationFrame(() => requestAnimationFrame(() => { CanvasRenderingContext2D.prototype.fillText = old; done(texts.includes("128 processors")); }));
	})`, &whole, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	if !whole {
		t.Error("the number of processors is cut off")
	}
	b.check("key")
}

// TestBrowserGanttMany finds a job among 28,000 and reads the load.
func TestBrowserGanttMany(t *testing.T) {
	b := open(t, "gantt-many", widest)
	b.look(1200, "light")
	if s := b.chart(); s.mode != "load" {
		t.Errorf("28,000 jobs as %s", s.mode)
	}
	if hint := b.pointAt(600, 100); !strings.Contains(hint, "% held") {
		t.Errorf("over the load: %q", hint)
	}
	var elements int
	b.run(chromedp.Evaluate(`document.querySelectorAll("*").length`, &elements))
	if elements > 200 {
		t.Errorf("%d elements", elements)
	}
	b.run(chromedp.SendKeys("#find", "j1234"+kb.Enter, chromedp.ByQuery))
	if s := b.chart(); s.mode != "jobs" || s.chosen != "j1234" {
		t.Errorf("found %+v", s)
	}
	b.check("many")
	b.shoot("gantt-many-found")
	b.run(chromedp.SendKeys("#find", "nobody"+kb.Enter, chromedp.ByQuery))
	if said := b.said(); !strings.Contains(said, "is placed") {
		t.Errorf("an unknown job: %q", said)
	}
}

// TestBrowserGanttDevices reads where jobs lie on machines and devices, and when machines are closed.
func TestBrowserGanttDevices(t *testing.T) {
	b := open(t, "gantt-devices", widest)
	b.look(1200, "light")
	for id, want := range map[string]string{
		"train-2":    "train-2; h[5]: gpu 0-7, h[6]: gpu 0-7; runs ",
		"notebook-1": ": 50 % of gpu ",
		"prepare-1":  "prepare-1; a[0]: no device; runs ",
	} {
		b.run(chromedp.Evaluate(`document.getElementById("find").value = ""`, nil), chromedp.SendKeys("#find", id+kb.Enter, chromedp.ByQuery))
		if said := b.said(); !strings.Contains(said, want) {
			t.Errorf("%q, want %q in it", said, want)
		}
	}
	var hints []string
	b.run(chromedp.Evaluate(`(() => { // all hints; the chart is longer than the window, so no real pointer reaches all of it
		const chart = document.getElementById("chart"), tip = document.getElementById("tip"), r = chart.getBoundingClientRect(), hints = new Set();
		for (let y = 4; y < r.height; y += 16) for (let x = 150; x < r.width; x += 40) {
			chart.dispatchEvent(new PointerEvent("pointermove", { clientX: r.left + x, clientY: r.top + y, pointerId: 7 }));
			if (!tip.hidden) hints.add(tip.textContent);
		}
		return [...hints];
	})()`, &hints))
	for _, want := range []string{"b[0] to b[3]\nclosed\n6 – 10 h", "t\nclosed but for course\n2 – 6 h"} {
		if !slices.Contains(hints, want) {
			t.Errorf("no hint %q among %q", want, hints)
		}
	}
	texts := strings.Join(b.keyTexts(), "|")
	if !strings.Contains(texts, "closed") || !strings.Contains(texts, "a machine for one job alone") {
		t.Errorf("the key says %q", texts)
	}
	b.check("devices")
}

// TestBrowserGanttHostile chooses jobs whose ids try to run: they are said as text, and nothing runs.
func TestBrowserGanttHostile(t *testing.T) {
	b := open(t, "gantt-hostile", widest)
	b.look(1200, "light")
	b.run(chromedp.Evaluate(openAll, nil), chromedp.Focus("#chart", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowDown))
	if said := b.said(); !strings.HasPrefix(said, `</script><script>alert(1)</script>; `) {
		t.Errorf("%q", said)
	}
	for range 8 {
		b.run(chromedp.KeyEvent(kb.ArrowDown))
		b.check(b.said())
	}
	b.pointAt(300, 20)
	b.check("hint")
}
