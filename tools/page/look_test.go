package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// looks are the widths and colour schemes that every state of the page is looked at in.
func (b *tab) looks(name string, check func()) {
	b.t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1400, 360} {
			b.look(width, scheme)
			b.run(chromedp.Evaluate(settled, nil))
			check()
			b.shoot(fmt.Sprintf("%s-%s-%d", name, scheme, width))
		}
	}
}

// settled waits until the page is laid out and has looked at its new sizes.
const settled = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`

func TestLook(t *testing.T) {
	b := open(t, 1400, "light", "")
	none := func() {}
	b.solved(1)
	b.looks("open", none)
	b.look(1400, "light")
	for range 3 {
		b.run(chromedp.Click("#add-solver", chromedp.ByQuery))
	}
	b.run(chromedp.Click("#run", chromedp.ByQuery))
	b.solved(4)
	b.looks("four", none)
	b.look(1400, "light")
	b.run(chromedp.Click("#parameters-0", chromedp.ByQuery), chromedp.Click("#exports summary", chromedp.ByQuery), chromedp.Click("#tab-text", chromedp.ByQuery))
	b.run(chromedp.Evaluate(`(c => { const e = new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }); c.dispatchEvent(e); })(document.querySelector(".stage").shadowRoot.getElementById("chart"))`, nil))
	b.until("explained", `!document.getElementById("explained").hidden`)
	b.looks("details", none)
	b.look(1400, "light")
	b.run(chromedp.Click("#tab-check", chromedp.ByQuery), chromedp.Click("#do-check", chromedp.ByQuery))
	b.until("checked", `document.querySelector("#check-result .verdict")`)
	b.looks("check", none)
	b.look(1400, "light")
	b.run(chromedp.Click("#do-certify", chromedp.ByQuery))
	b.until("certified", `document.querySelector("#save-certificate")`)
	b.run(chromedp.Click("#do-verify", chromedp.ByQuery))
	b.until("verified", `document.querySelector("#check-result .verdict")?.textContent.startsWith("Ver")`)
	b.looks("verify", none)
	b.look(1400, "light")
	b.run(chromedp.Click("#tab-policies", chromedp.ByQuery), chromedp.Click("#trace-example", chromedp.ByQuery))
	b.until("trace", `!document.getElementById("do-policies").disabled`)
	b.run(chromedp.Click("#do-policies", chromedp.ByQuery))
	b.until("policies", `document.querySelector("#policies-result .verdict")`)
	t.Log(value[string](b, `document.querySelector("#policies-result .note").textContent`))
	b.looks("policies", none)
	b.quiet("looked at")
}
