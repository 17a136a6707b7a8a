package page

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// settled waits until the page is laid out and has looked at its new sizes.
const settled = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`

// axe looks for what people with a disability cannot use, by the rules of WCAG 2.1 A and AA.
const axe = `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], resultTypes: ["violations"] }).then(r => r.violations
	.filter(v => v.impact === "serious" || v.impact === "critical").map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + n.failureSummary).join(" | ")))`

// looks looks at a state of the page at two widths, light and dark.
func (b *tab) looks(name string) {
	b.t.Helper()
	for _, look := range []struct {
		width  int64
		scheme string
		axe    bool
	}{{360, "dark", true}, {360, "light", false}, {1400, "dark", false}, {1400, "light", true}} {
		b.look(look.width, look.scheme)
		value[bool](b, settled)
		where := fmt.Sprintf("%s, %d px, %s", name, look.width, look.scheme)
		if sizes := value[[]int](b, `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`); sizes[0] > sizes[1] {
			b.t.Errorf("%s: the page scrolls sideways: %d > %d", where, sizes[0], sizes[1])
		}
		if course := value[[]float64](b, `[...document.querySelectorAll("#course:not([hidden]) svg")].flatMap(e => [e.viewBox.baseVal.width, Math.floor(document.getElementById("results").getBoundingClientRect().width), e.viewBox.baseVal.height, e.clientHeight])`); len(course) > 0 && course[3] > 0 && (course[0] != max(280, course[1]) || course[2] != course[3]) {
			b.t.Errorf("%s: the course is drawn for %v × %v, and has %v × %v", where, course[0], course[2], course[1], course[3])
		}
		if ids := value[[]string](b, `(ids => ids.filter((id, k) => ids.indexOf(id) !== k))([...document.querySelectorAll("[id]")].map(e => e.id))`); len(ids) > 0 {
			b.t.Errorf("%s: several elements have the ids %q", where, ids)
		}
		if look.axe {
			b.accessible(where)
		}
		b.shoot(fmt.Sprintf("%s-%s-%d", name, look.scheme, look.width))
	}
	b.quiet(name)
}

// accessible fails for what axe-core finds.
func (b *tab) accessible(where string) {
	b.t.Helper()
	if !value[bool](b, `"axe" in window`) {
		script, err := os.ReadFile("../../web/node_modules/axe-core/axe.min.js")
		if err != nil {
			b.t.Fatal(err)
		}
		b.run(chromedp.Evaluate(string(script), nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithReturnByValue(false) }))
	}
	for _, text := range value[[]string](b, axe) {
		b.t.Errorf("%s: %s", where, text)
	}
}

// click clicks an element.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.Click(selector, chromedp.ByQuery))
}

// text is the text of an element.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf(`document.querySelector(%q)?.textContent ?? ""`, selector))
}

// chart is what the chart of a card says of itself.
func chart(card int, member string) string {
	return fmt.Sprintf(`document.querySelectorAll(".stage")[%d].shadowRoot.getElementById("chart")%s`, card, member)
}

// curve is where the course of a run goes, from level to level, in the picture.
func (b *tab) curve(run int) []float64 {
	b.t.Helper()
	return value[[]float64](b, fmt.Sprintf(`[...document.querySelector("#course .curve.tone-%d").getAttribute("d").matchAll(/(?:M\S+ |V)([-\d.]+)/g)].map(m => Number(m[1]))`, run))
}

// TestTheme: the colours that somebody has chosen stay when the page is opened again.
func TestTheme(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.click("#theme")
	for range 2 {
		b.until("dark", `document.documentElement.dataset.theme === "dark" && document.getElementById("theme").textContent === "Light"`)
		b.run(chromedp.Reload())
	}
	b.quiet("theme")
}

// TestLooks goes through every task, and looks at each state.
func TestLooks(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	t.Logf("the first chart after %.0f ms", value[float64](b, `performance.getEntriesByName("gantt")[0].startTime`))
	b.looks("open")
	path := b.curve(0)
	if first, last := path[0], path[len(path)-1]; last <= first {
		t.Errorf("the course of an objective that gets less goes from %v to %v, and y grows downwards", first, last)
	}
	for range 3 {
		b.click("#add-solver")
	}
	b.click("#run")
	b.solved(4)
	if got, want := value[[]string](b, `[...document.querySelectorAll("#comparison tbody tr")].map(r => r.cells[0].textContent + " " + r.cells[1].textContent + " " + r.cells[2].textContent + " " + r.cells[3].textContent)`), []string{"search 37.688* 5.01 %* 0 %*", "muscle 47.758 25 % 26.7 %", "titan 50.985 29.8 % 35.3 %", "mts 56.26 36.4 % 49.3 %"}; !slices.Equal(got, want) {
		t.Errorf("the table has %q, want %q", got, want)
	}
	b.looks("four")
	b.click("#parameters-0")
	b.click("#exports summary")
	b.click("#tab-text")
	b.run(chromedp.Evaluate(chart(0, `.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }))`), nil))
	b.until("explained", `!document.getElementById("explained").hidden`)
	b.click(".card button")
	b.looks("details")

	b.click("#tab-jobs")
	b.typed(`input[data-job="2"][data-field="work"]`, "-1")
	b.until("a fault", `!document.getElementById("faults").hidden`)
	b.run(chromedp.Evaluate(`navigator.clipboard.writeText = async () => undefined`, nil))
	b.click("#share")
	b.until("a link", `!document.getElementById("link-said").hidden`)
	b.click("#run")
	b.until("refused", `[...document.querySelectorAll("#cards .note")].filter(e => e.textContent.startsWith("jobs[2].work: expected")).length === 4`)
	b.click("#tab-text")
	b.looks("wrong")
	b.click("#tab-jobs")
	b.click("#undo")
	b.until("undone", `document.getElementById("faults").hidden`)
	b.click("#run")
	b.solved(4)

	b.click("#tab-check")
	b.click("#do-check")
	b.until("checked", `document.querySelector("#check-result .verdict")`)
	b.looks("check")
	b.click("#do-certify")
	b.until("certified", `document.querySelector("#save-certificate")`)
	b.click("#do-verify")
	b.until("verified", `document.querySelector("#check-result .verdict.good")?.textContent.startsWith("Verified")`)
	if got, want := b.text("#check-result"), "Verified: no schedule is better than 35.8. The schedule's objective is 37.6881: the best schedule is at most 5.01 % lower."; got != want {
		t.Errorf("the verdict is %q, want %q", got, want)
	}
	b.looks("verify")
}

// TestPolicies compares policies on a trace of 28,000 jobs.
func TestPolicies(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.click("#tab-policies")
	b.click("#trace-example")
	b.until("a trace", `!document.getElementById("do-policies").disabled`)
	b.click("#do-policies")
	b.until("a verdict", `document.querySelector("#policies-result .verdict")`)
	t.Log(b.text("#policies-result .note"))
	if got, want := b.text("#policies-result .verdict"), "easy is shown to be better than fcfs: mean wait −98.3 %"; len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("verdict %q, want %q …", got, want)
	}
	if n := value[int](b, `document.querySelectorAll("#policy-table tbody tr").length`); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
	if got, want := b.text("#policy-table tbody tr:nth-child(2)"), "easy1 h 53 min−98.3 % [−98.7 %, −97.6 %] *0 s10 h 25 min3 d 1 h90.768.8 %"; got != want {
		t.Errorf("the row of easy is %q, want %q", got, want)
	}
	b.looks("policies")
}
