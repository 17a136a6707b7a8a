package proof_test

import (
	"io"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/proof"
)

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(buffer []byte) (int, error) {
	n := copy(buffer, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// A certificate without end is refused before it fills the memory, whatever it repeats.
func TestReadLimitsACertificate(t *testing.T) {
	race.OneGoroutine(t)
	for k, c := range []struct{ start, repeated, want string }{
		{`{"x": [`, `{},`, "expected a certificate of at most 4194304 objects and arrays, found more"},
		{`{"x": [`, `[],`, "expected a certificate of at most 4194304 objects and arrays, found more"},
		{`{"x": [`, `0,`, "expected a certificate of at most 33554432 values, found more"},
		{`{"x": [`, strings.Repeat("1", 100_000) + ",", "expected a certificate of at most 268435456 bytes, found a longer one"},
		{`{"parts": `, `[`, "values nested too deep"},
		{``, `{"x": `, "values nested too deep"},
		{`{"x": "`, `a`, "at most 1048576 bytes"},
	} {
		if testing.Short() && 0 < k && k < 4 {
			continue // it is long
		}
		_, err := proof.Read(io.MultiReader(strings.NewReader(c.start), &endless{text: c.repeated}), "long")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20s %.20s …: expected %q, found %v", c.start, c.repeated, c.want, err)
		}
	}
}
