package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// type puts a value into a field as a person does, and leaves the field.
func (b *tab) typed(selector, text string) {
	b.t.Helper()
	b.run(chromedp.Focus(selector, chromedp.ByQuery), chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q).select()`, selector), nil),
		chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Tab))
}

// TestEdit changes jobs in the table: the text follows, the schedule is said to be old, faults stand at their places, and undo goes back.
func TestEdit(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	before := b.text(".facts strong")
	const work = `input[data-job="2"][data-field="work"]`
	b.typed(work, "90.25")
	b.until("the schedule is old", `!document.getElementById("stale").hidden`)
	b.click("#again")
	b.solved(1)
	if after := b.text(".facts strong"); after == before {
		t.Errorf("the objective is %s before and after", after)
	}
	b.until("the schedule is new", `document.getElementById("stale").hidden`)
	if got, want := b.text(".facts"), "objective 45.125 (before: 37.6881)gap 0 % (before: 5.01 %)optimal"; got != want {
		t.Errorf("the figures are %q, want %q", got, want)
	}

	b.typed(work, "-1")
	b.until("a fault", `!document.getElementById("faults").hidden && document.querySelector('`+work+`').getAttribute("aria-invalid")`)
	if got, want := b.text("#faults"), "jobs[2].work: expected 0 or a number in [1e-18, 1e+18], found -1"; got != want {
		t.Errorf("the fault is %q, want %q", got, want)
	}
	b.click("#faults button")
	b.until("the fault in the text", `document.getElementById("editor").shadowRoot.querySelector(".cm-lintRange-error")?.textContent.includes("-1")`)
	b.click("#tab-jobs")
	b.click("#undo")
	b.until("undone", `document.getElementById("faults").hidden && document.querySelector('`+work+`').dataset.whole === "90.25"`)

	b.click("#add-job")
	b.until("added", `document.querySelector('input[data-job="40"][data-field="id"]')?.dataset.whole === "J41"`)
	b.run(chromedp.Evaluate(`document.querySelector('button[aria-label="Remove J1"]').click()`, nil))
	b.until("removed", `document.querySelector('input[data-job="0"][data-field="id"]')?.dataset.whole === "J2"`)
	b.click("#add-job")
	b.until("added", `document.querySelector('input[data-job="40"][data-field="id"]')?.dataset.whole === "J42"`) // as there is a J41
	b.click("#undo")
	b.until("undone", rows(40))
	b.typed(`input[data-job="0"][data-field="id"]`, "7")
	b.typed(`input[data-job="0"][data-field="deadline"]`, " ")
	b.until("changed", `document.querySelector('input[data-job="0"][data-field="deadline"]').dataset.whole === "" && document.querySelector('input[data-job="0"][data-field="id"]').dataset.whole === "7"`)
	b.click("#run")
	b.solved(1)
	if got := b.text("#cards .note"); got != "" {
		t.Errorf("an id of a digit and no deadline: %s", got)
	}
	b.run(chromedp.Evaluate(`document.getElementById("exports").open = true; document.getElementById("save-instance").click()`, nil))
	var instance struct{ Jobs []struct{ ID string } }
	if err := json.Unmarshal(b.saved("instance.json"), &instance); err != nil || len(instance.Jobs) != 40 { // that of the schedule, not the one that was changed since
		t.Errorf("%v, %d jobs, want 40", err, len(instance.Jobs))
	}
	b.quiet("edited")
}

// TestKeys does the main path with keys alone: from the top of the page to the link.
func TestKeys(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	b.run(chromedp.Evaluate(`window.copied = ""; navigator.clipboard.writeText = async text => { window.copied = text; }; document.activeElement.blur(); window.scrollTo(0, 0)`, nil))
	// tabTo presses Tab until an element has the focus, each time with an outline.
	tabTo := func(what, expression string) {
		t.Helper()
		for range 60 {
			b.run(chromedp.KeyEvent(kb.Tab))
			if value[bool](b, `(() => { let e = document.activeElement; while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return e !== document.body && e.matches(":focus-visible") && getComputedStyle(e.matches(".over") ? e.parentElement : e).outlineStyle === "none"; })()`) {
				t.Errorf("on the way to %s: %s has the focus, and nothing shows it", what, value[string](b, `document.activeElement.outerHTML.slice(0, 120)`))
			}
			if value[bool](b, expression) {
				return
			}
		}
		t.Fatalf("60 times Tab do not lead to %s", what)
	}
	has := func(id string) string { return fmt.Sprintf(`document.activeElement.id === %q`, id) }
	tabTo("the link to the schedule", `document.activeElement.className === "skip"`)
	tabTo("the tabs", has("tab-solve"))
	b.run(chromedp.KeyEvent(kb.ArrowRight))
	if !value[bool](b, `!document.getElementById("check").hidden`) {
		t.Error("the arrow does not lead to the next tab")
	}
	b.run(chromedp.KeyEvent(kb.ArrowLeft))
	tabTo("the button for the link", has("share"))
	tabTo("the examples", has("example"))
	tabTo("the button for a solver", has("add-solver"))
	b.run(chromedp.KeyEvent(kb.Enter))
	if !value[bool](b, has("solver-1")) {
		t.Error("the new solver has not the focus")
	}
	tabTo("the button to run", has("run"))
	b.run(chromedp.KeyEvent(kb.Enter))
	b.solved(2)
	tabTo("the chart", `document.activeElement.shadowRoot?.activeElement?.id === "chart"`)
	b.run(chromedp.KeyEvent(kb.ArrowDown))
	b.until("explained", `document.getElementById("explained").textContent.includes("Runs on")`)
	b.run(chromedp.Focus("#share", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.until("copied", `window.copied.includes("#s=") && !document.getElementById("link-said").hidden`)
	b.quiet("keys")
}

// TestShare opens a link on another page: the same instance, solvers, seed and limit, and the same schedule. Damaged links say so.
func TestShare(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	b.run(chromedp.Evaluate(`{ const set = (id, v) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event("change")); }; set("seed", "5"); set("amount", "800"); set("example", "table1.json"); }`, nil))
	b.until("fetched", `document.getElementById("stale").hidden && document.querySelectorAll("#jobs tbody tr").length === 6`)
	b.solved(1)
	b.typed(`input[data-job="0"][data-field="id"]`, `<img src=x>`)
	b.until("changed", `!document.getElementById("stale").hidden`)
	b.click("#run")
	b.solved(1)
	save := `document.getElementById("exports").open = true; document.getElementById("save-solution").click()`
	b.run(chromedp.Evaluate(save, nil))
	first := b.saved("search.json")
	b.run(chromedp.Evaluate(`navigator.clipboard.writeText = async () => undefined`, nil))
	b.click("#share")
	b.until("a link", `location.hash.startsWith("#s=")`)
	link := value[string](b, `location.hash`)

	other := open(t, 1400, "light", link)
	other.until("the solver runs", `document.querySelector("#cards h3")`)
	other.solved(1)
	other.run(chromedp.Evaluate(save, nil))
	if second := other.saved("search.json"); string(second) != string(first) {
		t.Errorf("the link gives\n%.800s\nnot\n%.800s", second, first)
	}
	other.quiet("a link")

	damaged := open(t, 1400, "light", link[:len(link)-30])
	damaged.until("said", `!document.getElementById("link-said").hidden`)
	if got := damaged.text("#link-said"); !strings.HasPrefix(got, "The link is damaged: a part of it is missing") {
		t.Error(got)
	}
	damaged.solved(1) // an example
	damaged.run(chromedp.Evaluate(`location.hash = "#s=<b>"`, nil))
	damaged.until("said", `document.getElementById("link-said").textContent.includes("characters")`)
	damaged.quiet("a damaged link")
}

// drop drops a file that an expression makes on a part of the page.
func (b *tab) drop(part, file string) {
	b.t.Helper()
	b.run(chromedp.Evaluate(fmt.Sprintf(`{ const data = new DataTransfer(); data.items.add(%s); document.getElementById(%q).dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })); }`, file, part), nil))
}

// TestFiles drops files: instances, schedules, certificates, traces, and what is none of these. Names are text, whatever they say.
func TestFiles(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	hostile := `<img src=x onerror=alert(1)>`
	instance := fmt.Sprintf(`{"schema": "allot/instance/1", "name": %[1]q, "clusters": [{"id": %[1]q, "machines": [{"id": "m", "processors": 2}]}], "jobs": [{"id": %[1]q, "work": 3}, {"id": "b\u2028</script>", "work": 4}, {"id": "c\\", "work": 1}]}`, hostile)
	b.drop("solve", fmt.Sprintf(`new File([%q], "mine.json")`, instance))
	b.until("the instance", rows(3))
	b.solved(1)
	b.run(chromedp.Evaluate(`document.getElementById("exports").open = true; document.getElementById("save-solution").click()`, nil))
	var solution struct{ Jobs []struct{ Job string } }
	saved := b.saved("search.json")
	if err := json.Unmarshal(saved, &solution); err != nil || len(solution.Jobs) != 3 || !strings.Contains(string(saved), "\n  {\"job\":\"c\\\\\"") {
		t.Errorf("%v: a schedule in lines:\n%s", err, saved)
	}
	b.run(chromedp.Evaluate(chart(0, `.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }))`), nil))
	b.until("explained", `document.getElementById("explained").textContent.includes("Runs on <img")`)
	for _, download := range []struct{ button, name, begin string }{{"save-svg", "search.svg", "<svg"}, {"save-png", "search.png", "\x89PNG"}} {
		b.run(chromedp.Evaluate(`document.getElementById("exports").open = true; document.getElementById("`+download.button+`").click()`, nil))
		if got := b.saved(download.name); !strings.HasPrefix(string(got), download.begin) && !strings.HasPrefix(string(got), "<?xml") {
			t.Errorf("%s begins with %.40q", download.name, got)
		}
	}
	if got := b.text("#export-body"); !strings.Contains(got, "allot solve --solver search --seed 1 --evals 5000 -o plan.json instance.json") || !strings.Contains(got, "stop=allot.MaxEvaluations(5000), seed=1)") {
		t.Errorf("lines for elsewhere: %q", got)
	}
	b.drop("solve", `new File(["; Computer: x\n; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 20 -1 1 1 1 1 1 -1 -1 -1\n2 5 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 -1 -1 -1\n"], "small.swf")`)
	b.until("the trace", `document.getElementById("imported").textContent.includes("swf: read 2 jobs")`)
	b.solved(1)
	for file, want := range map[string]string{
		`new File(["nothing known"], "a.txt")`:                   "found none that looks like it",
		`new File([], "empty.json")`:                             "empty.json is empty.",
		`new File([new ArrayBuffer(257e6)], "huge.swf")`:         "huge.swf has 257 MB: more than the 256 MB",
		`new File(['{"schema": "allot/solution/1"}'], "s.json")`: "s.json is a solution: open it under Check.",
	} {
		b.drop("solve", file)
		b.until(want, fmt.Sprintf(`document.getElementById("faults").textContent.includes(%q)`, want))
	}

	b.click("#tab-check")
	b.drop("check", `new File(['{"schema": "allot/solution/1", "jobs": [{"job": "1", "cluster": "nowhere", "processors": "0", "start": 0, "end": 1}]}'], "<b>.json")`)
	b.until("taken", `document.getElementById("check-has").textContent.includes("<b>.json")`)
	b.click("#do-check")
	b.until("refused", `document.querySelector("#check-result .verdict.bad")`)
	b.drop("check", `new File(['{"schema": "allot/proof/1", "instance_sha256": "00", "objective": {"makespan": 1}, "bound": 5, "parts": []}'], "proof.json")`)
	b.until("taken", `document.getElementById("check-has").textContent.includes("proof.json")`)
	b.click("#do-verify")
	b.until("refused", `document.querySelector("#check-result .verdict.bad")?.textContent !== "The engine works…" && !document.getElementById("do-verify").disabled`)
	b.drop("check", `new File(["x"], "x.txt")`)
	b.until("refused", `document.getElementById("check-result").textContent.includes("neither a schedule")`)
	if n := value[int](b, `document.querySelectorAll("img, iframe, b").length`); n > 0 {
		t.Errorf("%d elements that the page does not write", n)
	}
	b.quiet("files")
}
