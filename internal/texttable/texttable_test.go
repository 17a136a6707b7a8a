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

// Lines break at blanks, and a number stays with its unit; a word that has no room is broken.
func TestWrap(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "\n",
		"a bc  def":        "a bc def\n",
		"a bc  defg":       "a bc\n  defg\n",
		"waits 12 s":       "waits\n  12 s\n",
		"[1 %, 22 %]":      "[1 %,\n  22 %]\n",
		"abcdefghij":       "abcdef\n  ghij\n",
		"order=sjf:depth=": "order=\n  sjf:\n  depth=\n",
		"字字字字 b":           "字字字\n  字 b\n",
	} {
		if got := Wrap(text, 8, "  "); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

// A name breaks behind a colon in the second half of the line, else behind an equals sign, else anywhere.
func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"easy": "easy", "easy:order=sjf:bound_wait=172800": "easy:order=sjf:\nbound_wait=172800", "bound_wait=1728001728": "bound_wait=\n1728001728", "abcdefghijklmnopqrstuvw": "abcdefghijklmnopq\nrstuvw", "\xff": "\uFFFD",
	} {
		if got := Fold(name, 17); got != want {
			t.Errorf("%q: %q, expected %q", name, got, want)
		}
	}
}

// A name that is too long loses its middle.
func TestShorten(t *testing.T) {
	for name, want := range map[string]string{"easy": "easy", "abcdefghi": "abcd…ghi", "字字字字字": "字字…字"} {
		if got := Shorten(name, 8); got != want {
			t.Errorf("%q: %q, expected %q", name, got, want)
		}
	}
}
