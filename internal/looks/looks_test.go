package looks

import (
	"context"
	"errors"
	"testing"
)

// A context ends at the look after those it was given, for who asks it, who waits for it, and who made a context of it.
func TestUntil(t *testing.T) {
	c := Until(2)
	child, cancel := context.WithCancel(c)
	defer cancel()
	for k := range 2 {
		if err := c.Err(); err != nil || child.Err() != nil {
			t.Fatalf("look %d: %v, %v", k, err, child.Err())
		}
	}
	select {
	case <-c.Done():
		t.Fatal("it ended without a further look")
	default:
	}
	for range 3 {
		if err := c.Err(); !errors.Is(err, context.Canceled) {
			t.Errorf("it goes on: %v", err)
		}
	}
	<-child.Done()
	if err := child.Err(); !errors.Is(err, context.Canceled) || c.Taken() < 5 {
		t.Errorf("the context made of it: %v after %d looks", err, c.Taken())
	}
	counted := Count()
	for range 1000 {
		if counted.Err() != nil {
			t.Fatal("a context that only counts ended")
		}
	}
	if counted.Taken() != 1000 {
		t.Errorf("%d looks", counted.Taken())
	}
}
