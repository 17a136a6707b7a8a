package page

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestParameters changes parameters of a solver: the form stays as it is while somebody fills it in, the run has them, and what is emptied has its default again.
func TestParameters(t *testing.T) {
	b := open(t, 1400, "light", "")
	b.solved(1)
	b.until("the solvers are listed", `document.querySelectorAll("#solver-0 option").length > 10`)
	b.click("#parameters-0")
	b.run(chromedp.Evaluate(`window.fields = [...document.querySelectorAll("#parameters input")]; window.fields[0].focus(); 0`, nil))
	b.run(chromedp.KeyEvent("2"), chromedp.KeyEvent(kb.Tab))
	if !value[bool](b, `document.activeElement === window.fields[1] && window.fields[1].isConnected`) {
		t.Errorf("Tab leads from the first parameter to %s", value[string](b, `document.activeElement.outerHTML.slice(0, 100)`))
	}
	if got := b.text("#parameters-0"); got != "⚙ 1" {
		t.Errorf("the button says %q", got)
	}
	b.click("#run")
	b.until("it runs", `document.querySelector("#cards h3")?.textContent === "search:effort=2"`)
	b.solved(1)
	if got, want := b.text("#export-body"), "allot solve --solver search:effort=2 --seed 1 --evals 5000"; !strings.Contains(got, want) {
		t.Errorf("lines for elsewhere: %q, want %q", got, want)
	}
	b.run(chromedp.Evaluate(`window.fields[0].value = " "; window.fields[0].dispatchEvent(new Event("change")); 0`, nil))
	if got := b.text("#parameters-0"); got != "⚙" {
		t.Errorf("without parameters the button says %q", got)
	}
	b.click("#parameters-0")
	b.until("closed", `document.getElementById("parameters").hidden`)
	b.set("solver-0", "tou")
	b.click("#run")
	b.until("refused", `document.querySelector("#cards .facts")?.textContent === "refuses the instance"`)
	if got, want := b.text("#cards .note"), "This solver does not take the instance: solver tou: unsupported: "; !strings.HasPrefix(got, want) {
		t.Errorf("the card says %q, want %q …", got, want)
	}
	b.quiet("parameters")
}
