package service

import (
	"context"
	"testing"
	"time"
)

// A request that is cancelled in the moment of its turn gives the place on: afterwards there is one again.
func TestCancelledInItsTurn(t *testing.T) {
	g := gate{places: 1, free: 1, most: 10, clients: map[string]int{}}
	for range 2000 {
		if err := g.enter(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- g.enter(ctx, "b") }()
		within(t, "the second waits", func() bool { _, waiting := g.load(); return waiting == 1 })
		cancel()
		g.leave("a")
		if err := <-done; err == nil {
			g.leave("b")
		}
		if running, waiting := g.load(); running != 0 || waiting != 0 || len(g.clients) != 0 {
			t.Fatalf("%d run, %d wait, %v", running, waiting, g.clients)
		}
	}
}

// A place that is lent comes back at once, and requests that wait get places again only when there are some.
func TestLentPlace(t *testing.T) {
	g := gate{places: 1, free: 1, most: 10, clients: map[string]int{}}
	if err := g.enter(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	back := g.lend()
	if err := g.enter(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	back() // two run where there is one place
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := g.enter(ctx, "c"); err == nil {
		t.Error("a third runs")
	}
	g.leave("b")
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := g.enter(ctx, "c"); err == nil {
		t.Error("a second runs where the first has its place back")
	}
	g.leave("a")
	if err := g.enter(t.Context(), "c"); err != nil {
		t.Error(err)
	}
}
