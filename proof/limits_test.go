package proof_test

import (
	"io"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
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
	for _, c := range []struct{ start, repeated, want string }{
		{`{"x": [`, `{},`, "expected a certificate of at most 4194304 objects and arrays, found more"},
		{`{"x": [`, `[],`, "expected a certificate of at most 4194304 objects and arrays, found more"},
		{`{"x": [`, `0,`, "expected a certificate of at most 33554432 values, found more"},
		{`{"x": [`, strings.Repeat("1", 100_000) + ",", "expected a certificate of at most 268435456 bytes, found a longer one"},
		{`{"parts": `, `[`, "values nested too deep"},
		{``, `{"x": `, "values nested too deep"},
		{`{"x": "`, `a`, "at most 1048576 bytes"},
	} {
		_, err := proof.Read(io.MultiReader(strings.NewReader(c.start), &endless{text: c.repeated}), "long")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20s %.20s …: expected %q, found %v", c.start, c.repeated, c.want, err)
		}
	}
}

// A tree may be wide: what its boxes hold at once is limited.
func TestWideTreeIsNotCovered(t *testing.T) {
	race.OneGoroutine(t)
	b := model.NewBuilder("wide").Minimise("mcp", 1)
	const clusters, leaves = 1000, 20_000
	for c := range clusters {
		b.Cluster(cluster(string(rune('A'+c)), 1, 1))
	}
	b.Job(job("x", 1, 1))
	in := built(t, b)
	tree := &proof.Counts{Limits: []float64{0, 1}}
	for k := range leaves { // each node splits off a part that is as large as itself
		tree.Nodes = append(tree.Nodes, proof.Node{Split: &proof.Split{Of: 0, What: "bucket", At: 2, Low: 2*k + 1, High: 2*k + 2}})
	}
	for range leaves + 1 {
		tree.Nodes = append(tree.Nodes, proof.Node{})
	}
	r := verdict(t.Context(), in, claim(in, "mcp", 1, 0, &proof.Argument{Counts: tree}))
	if r.Verdict != proof.NotCertified || !strings.Contains(r.Reason, "too wide") {
		t.Errorf("%+v", r)
	}
}
