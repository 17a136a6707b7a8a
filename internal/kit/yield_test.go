package kit

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestContextsYield(t *testing.T) {
	turns := 0
	ctx, cancel := context.WithCancel(Yield(t.Context(), func() { turns++ }))
	defer cancel()
	if ctx.Err() != nil || turns != 0 {
		t.Errorf("a derived context: %v after %d turns; expected nil after none", ctx.Err(), turns)
	}
	again := YieldAgain(ctx)
	if again.Err() != nil || turns != 1 {
		t.Errorf("the same again: %d turns; expected 1", turns)
	}
	timed, stop := context.WithTimeout(again, time.Hour)
	defer stop()
	timed = YieldAgain(timed)
	if _, ok := timed.Deadline(); !ok || timed.Err() != nil || turns != 2 {
		t.Errorf("a derived one of that: %d turns; expected 2, and a deadline", turns)
	}
	cancel()
	<-timed.Done()
	if err := timed.Err(); !errors.Is(err, context.Canceled) || turns != 3 {
		t.Errorf("cancelled: %v after %d turns; expected context.Canceled after 3", err, turns)
	}
}

// TestTurnMayCancel: what happens in the turn counts at once.
func TestTurnMayCancel(t *testing.T) {
	inner, cancel := context.WithCancel(t.Context())
	if err := Yield(inner, cancel).Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v; expected context.Canceled", err)
	}
}

func TestOtherContextsStay(t *testing.T) {
	if ctx := context.Background(); YieldAgain(ctx) != ctx {
		t.Error("a context that does not yield is another one")
	}
}
