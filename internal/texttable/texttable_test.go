package texttable

import "testing"

// Texts begin at the left and numbers end at the right, the words of the header are not changed.
func TestNew(t *testing.T) {
	table := New(1, "solver", "gap %")
	table.AppendRow([]any{"a", 1})
	table.AppendRow([]any{"longer name", 12345678})
	const want = "┌─────────────┬──────────┐\n│ solver      │    gap % │\n├─────────────┼──────────┤\n│ a           │        1 │\n│ longer name │ 12345678 │\n└─────────────┴──────────┘"
	if got := table.Render(); got != want {
		t.Errorf("\n%s\nexpected\n%s", got, want)
	}
}
