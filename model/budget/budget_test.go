package budget_test

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model/budget"
)

// tight are limits that differ, so that none passes for another.
var tight = budget.Limits{Files: 2, Bytes: 30, Names: 10, Steps: 5}

// Just what there is can be drawn, in parts too, and one more is the error of that limit. It lasts: whatever is drawn or read after it fails alike.
func TestDrawsToTheEnd(t *testing.T) {
	for what, c := range map[string]struct {
		most int
		draw func(b *budget.Budget, n int) error
	}{
		"files": {2, func(b *budget.Budget, n int) (err error) {
			for range n {
				err = errors.Join(err, b.File())
			}
			return err
		}},
		"bytes": {30, (*budget.Budget).Bytes},
		"names": {10, (*budget.Budget).Names},
		"steps": {5, (*budget.Budget).Steps},
	} {
		b := budget.New(t.Context(), tight, nil)
		if err := errors.Join(c.draw(b, 1), c.draw(b, c.most-1), c.draw(b, 0), b.Err()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		err := c.draw(b, 1)
		if passed := (*budget.Error)(nil); !errors.As(err, &passed) || passed.What != what || passed.Most != int64(c.most) || passed.WayOut == "" || !budget.Stopped(err) {
			t.Errorf("%s: one more: %v", what, err)
		}
		if b.Err() == nil || !errors.Is(b.File(), b.Err()) || !errors.Is(b.Names(0), b.Err()) || !errors.Is(b.Steps(0), b.Err()) || !errors.Is(b.Memory(0), b.Err()) {
			t.Errorf("%s: it goes on after %v", what, b.Err())
		}
		if n, err := b.Reader(strings.NewReader("x")).Read(make([]byte, 1)); n != 0 || !errors.Is(err, b.Err()) {
			t.Errorf("%s: %d bytes are read, %v", what, n, err)
		}
	}
}

// A table counts by its numbers, eight for a name, whose product may be no number; texts count by their length.
func TestWeights(t *testing.T) {
	for _, c := range []struct {
		rows, columns int
		fits          bool
	}{{8, 10, true}, {80, 1, true}, {80, math.MaxInt, false}, {3, math.MaxInt, false}, {81, 1, false}, {9, 9, false}, {0, math.MaxInt, true}, {math.MaxInt, 0, true}, {math.MaxInt, math.MaxInt, false}, {1 << 40, 1 << 40, false}} {
		if err := budget.New(t.Context(), tight, nil).Cells(c.rows, c.columns); (err == nil) != c.fits {
			t.Errorf("%d × %d: %v", c.rows, c.columns, err)
		}
	}
	for _, c := range []struct {
		n, bytes int
		fits     bool
	}{{10, 63, true}, {11, 0, false}, {5, 64, true}, {6, 64, false}} {
		if err := budget.New(t.Context(), tight, nil).Text(c.n, c.bytes); (err == nil) != c.fits {
			t.Errorf("%d texts of %d bytes: %v", c.n, c.bytes, err)
		}
	}
	if got := []int{budget.NamesOf[byte](), budget.NamesOf[[63]byte](), budget.NamesOf[[64]byte](), budget.NamesOf[[640]byte]()}; got[0] != 1 || got[1] != 1 || got[2] != 2 || got[3] != 11 {
		t.Errorf("names of things: %v", got)
	}
}

// Memory is asked for before it is taken: 8 bytes for each of a text, 64 for each name. Who refuses it ends the reading.
func TestMemory(t *testing.T) {
	var asked []int64
	b := budget.New(t.Context(), tight, func(bytes int64) error { asked = append(asked, bytes); return nil })
	if err := errors.Join(b.Bytes(3), b.Names(2), b.Steps(1), b.File(), b.Memory(100)); err != nil || len(asked) != 3 || asked[0] != 24 || asked[1] != 128 || asked[2] != 100 {
		t.Errorf("asked for %v, %v", asked, err)
	}
	none := errors.New("none is left")
	b = budget.New(t.Context(), tight, func(int64) error { return none })
	if err := b.Names(1); !errors.Is(err, none) || !budget.Stopped(err) || err.Error() != "none is left" || !errors.Is(b.File(), err) {
		t.Errorf("refused: %v", err)
	}
}

// A context that ends ends reading at once, and what only computes within some thousand steps.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := budget.New(ctx, budget.Usual(), nil)
	r := b.Reader(strings.NewReader("text"))
	if n, err := r.Read(make([]byte, 2)); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	cancel()
	if n, err := r.Read(make([]byte, 2)); n != 0 || !errors.Is(err, context.Canceled) || !budget.Stopped(err) {
		t.Errorf("read %d bytes, %v", n, err)
	}
	b = budget.New(ctx, budget.Usual(), nil)
	steps := 0
	for ; steps < 10_000 && b.Steps(1) == nil; steps++ {
	}
	if steps > 5000 || !errors.Is(b.Err(), context.Canceled) {
		t.Errorf("%d steps after the end, %v", steps, b.Err())
	}
	if budget.Stopped(context.Canceled) || budget.Stopped(nil) {
		t.Error("an error of others counts as one of a budget")
	}
}

// A source carries its budget to whoever reads from it, and draws its bytes once, however often it is wrapped. A plain one has a usual budget of its own.
func TestCarries(t *testing.T) {
	b := budget.New(t.Context(), tight, nil)
	once := b.Reader(strings.NewReader(strings.Repeat("x", 20)))
	closing := b.Closing(b.Reader(once), nil)
	for _, r := range []io.Reader{once, closing} {
		if again, found := budget.Of(r); found != b || again != r {
			t.Errorf("found another budget: %v", found == b)
		}
	}
	if n, err := io.Copy(io.Discard, closing); n != 20 || err != nil || closing.Close() != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := b.Bytes(10); err != nil {
		t.Errorf("the bytes were drawn more than once: %v", err)
	}
	other := budget.New(t.Context(), budget.Limits{Bytes: 5}, nil)
	if _, err := io.Copy(io.Discard, other.Reader(budget.Own().Reader(strings.NewReader("123456")))); !budget.Stopped(err) {
		t.Errorf("a source of two budgets: %v", err)
	}
	r, own := budget.Of(strings.NewReader("text"))
	if _, found := budget.Of(r); found != own || own == b {
		t.Error("a plain source does not keep its budget")
	}
}
