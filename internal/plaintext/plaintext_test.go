package plaintext_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/plaintext"
)

// What could be a formula begins with an apostrophe, everything else is left alone, and every text can be read back.
func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "a=b": "a=b", "'": "'", "'a": "'a", "7": "7",
		"=1+2": "'=1+2", "+x": "'+x", "-x": "'-x", "@SUM(1)": "'@SUM(1)", "\tx": "'\tx", "\rx": "'\rx", "\nx": "'\nx", "=": "'=",
		"'=x": "''=x", "''-x": "'''-x",
	} {
		if got := plaintext.Cell(text); got != want {
			t.Errorf("%q: got %q, expected %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("'=+-@\t\r\nab;"))).Draw(t, "text")
		cell := plaintext.Cell(text)
		if got := plaintext.FromCell(cell); got != text || cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r\n") {
			t.Fatalf("%q is written %q and read %q", text, cell, got)
		}
	})
}

// Wherever the pieces of a text end, the terminal gets the same, and nothing that steers it.
func TestWriter(t *testing.T) {
	const text = "a\x1b[31mb\u009b\u202eπ 网😀\r\n\xff\u2066z\n"
	const want = "a\uFFFD[31mb\uFFFD\uFFFDπ 网😀\uFFFD\n\uFFFD\uFFFDz\n"
	rapid.Check(t, func(t *rapid.T) {
		var shown strings.Builder
		w := plaintext.Writer{To: &shown}
		for rest := text; rest != ""; {
			n := rapid.IntRange(0, min(9, len(rest))).Draw(t, "piece")
			if m, err := w.Write([]byte(rest[:n])); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if shown.String() != want || plaintext.Printable(text) != want {
			t.Fatalf("got %q, expected %q", shown.String(), want)
		}
	})
}
