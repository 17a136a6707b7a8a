package page
import "testing"
func TestTmp(t *testing.T) {
	b := open(t, 360, "light", "")
	b.solved(1)
	t.Log(value[[]string](b, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > 361 && !e.closest(".scroll")).map(e => e.tagName + "#" + e.id + "." + e.className + " " + e.getBoundingClientRect().right)`))
	t.Log(value[[]float64](b, `performance.getEntriesByType("resource").map(e => e.responseEnd)`))
}
