package serve

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A request that is cancelled in the moment of its turn gives the place on: afterwards there is one again.
func TestCancelledInItsTurn(t *testing.T) {
	g := gate{places: 1, free: 1, most: 10, clients: map[string]int{}}
	for range 2000 {
		if err := g.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- g.enter(ctx) }()
		within(t, "the second waits", func() bool { _, waiting := g.load(); return waiting == 1 })
		cancel()
		g.leave()
		if err := <-done; err == nil {
			g.leave()
		}
		if running, waiting := g.load(); running != 0 || waiting != 0 || len(g.clients) != 0 {
			t.Fatalf("%d run, %d wait, %v", running, waiting, g.clients)
		}
	}
}

// A place that is lent comes back at once, and requests that wait get places again only when there are some.
func TestLentPlace(t *testing.T) {
	g := gate{places: 1, free: 1, most: 10, clients: map[string]int{}}
	if err := g.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	back := g.lend()
	if err := g.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	back() // two run where there is one place
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := g.enter(ctx); err == nil {
		t.Error("a third runs")
	}
	g.leave()
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := g.enter(ctx); err == nil {
		t.Error("a second runs where the first has its place back")
	}
	g.leave()
	if err := g.enter(t.Context()); err != nil {
		t.Error(err)
	}
}

// Documents are read no further when nobody waits for the answer any more, or when they take more memory than there is; whatever reads them, the reason is said.
func TestReadsNoFurther(t *testing.T) {
	tiny := example(t, "tiny")
	swf := quoted("; MaxProcs: 4\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n2 5 0 20 2 -1 -1 2 30 -1 1 1 1 1 1 1 -1 -1\n")
	for operation, body := range map[string]string{
		"check":    `{"instance": ` + tiny + `, "solution": {"schema": "allot/solution/1", "jobs": []}}`,
		"verify":   `{"instance": ` + tiny + `, "certificate": {"schema": "allot/proof/1"}}`,
		"import":   `{"files": [` + swf + `]}`,
		"policies": `{"trace": ` + swf + `}`,
	} {
		o, _ := Named(operation)
		opt := Options{Limits: Public()}
		opt.Memory = 500
		for name, c := range map[string]struct {
			ended error
			code  Code
			want  string
		}{
			"nobody waits": {context.Canceled, noAnswer, "stopped before the documents were read"},
			"too much":     {nil, TooLarge, "take more than 0 MB"},
			"too much now": {nil, busy, "than other requests leave"},
		} {
			s, held := New(opt), int64(0)
			if c.code == busy {
				s.memory.most, s.limits.Memory, held = 1<<20, 1<<20, 1<<20-1 // others have the rest
			}
			s.memory.held = held
			ctx, cancel := context.WithCancel(t.Context())
			if c.ended != nil {
				cancel()
			}
			begun, _ := s.enrol(ctx, &Client{Name: "x"}, "")
			r := s.do(begun, o, []byte(body), nil)
			cancel()
			if r.err == nil || r.err.Code != c.code || !strings.Contains(r.err.Message, c.want) {
				t.Errorf("%s, %s: %+v, want %s with %q", operation, name, r.err, c.code, c.want)
			}
			if s.memory.held != held {
				t.Errorf("%s, %s: %d bytes are held, want %d", operation, name, s.memory.held, held)
			}
		}
	}
}
