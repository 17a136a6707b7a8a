package proof

import (
	"fmt"
	"strings"
	"testing"
)

// A certificate may have as many bytes, objects and values as the limits say, and not one more.
func TestLimitsOfTheReader(t *testing.T) {
	for _, c := range []struct {
		text string
		l    limitedReader
		want string
	}{
		{"x", limitedReader{bytes: maxBytes - 1}, ""},
		{"xx", limitedReader{bytes: maxBytes - 1}, fmt.Sprintf("expected a certificate of at most %d bytes, found a longer one", 256<<20)},
		{"{", limitedReader{nested: maxNested - 1}, ""},
		{"[", limitedReader{nested: maxNested - 1}, ""},
		{"[{", limitedReader{nested: maxNested - 1}, fmt.Sprintf("expected a certificate of at most %d objects and arrays, found more", 4<<20)},
		{",", limitedReader{values: maxValues - 1}, ""},
		{",,", limitedReader{values: maxValues - 1}, fmt.Sprintf("expected a certificate of at most %d values, found more", 32<<20)},
	} {
		c.l.r = strings.NewReader(c.text)
		n, err := c.l.Read(make([]byte, 10))
		if c.want == "" && (err != nil || n != len(c.text)) || c.want != "" && (err == nil || err.Error() != c.want || n != 0) {
			t.Errorf("%q: %d, %v", c.text, n, err)
		}
	}
}
