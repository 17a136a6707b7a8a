package process

import (
	"slices"
	"strings"
	"testing"
)

// Brackets inside texts do not count, at any depth, and a backslash removes the meaning of the character after it.
func TestBracketsInTexts(t *testing.T) {
	list := []string{`{"solver": "}"}`, `{"a}": {"b{": "]}"}}`, `{"a": "\"}"}`, `{"a": "\\"}`, `{"a": ["{", "}", "\\\"}"], "b": 1}`, `{}`}
	for _, space := range []string{"", "\n", " \t\r\n"} {
		found, err := split(strings.NewReader(strings.Join(list, space)+space), 1000)
		if err == nil || !slices.Equal(found, list) {
			t.Errorf("split into %q, %v", found, err)
		}
	}
}
