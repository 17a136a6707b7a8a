//go:build js

package main

import (
	"syscall/js"
	"time"
)

// turns give the events of the worker their turn while a solver works.
type turns struct {
	last      time.Time // when the events had their turn
	looked    time.Time // at the clock
	countdown int       // calls until the clock is looked at
	every     int       // how many calls that are
	post      js.Value  // sends the event that ends the turn
	port      js.Value
	ended     chan struct{}
}

// The clock is looked at about once each look, and at the latest after mostCalls, as a call may come after a microsecond or after a millisecond.
const (
	between   = 20 * time.Millisecond // from turn to turn
	look      = time.Millisecond
	mostCalls = 64
)

// newTurns makes the channel by which the engine sends itself an event: it comes after the events that wait, and sooner than any timer.
func newTurns() *turns {
	t := &turns{every: 1, ended: make(chan struct{}, 1)}
	channel := js.Global().Get("MessageChannel").New()
	t.port = channel.Get("port2")
	t.post = t.port.Get("postMessage").Call("bind", t.port)
	channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		select {
		case t.ended <- struct{}{}:
		default:
		}
		return nil
	}))
	return t
}

// take is called by solvers, again and again. Most calls do nothing.
func (t *turns) take() {
	if t.countdown--; t.countdown > 0 {
		return
	}
	now := time.Now()
	switch passed := now.Sub(t.looked); {
	case passed > look:
		t.every = max(1, t.every/2)
	case passed < look/2:
		t.every = min(2*t.every, mostCalls)
	}
	t.looked, t.countdown = now, t.every
	if now.Sub(t.last) < between {
		return
	}
	t.post.Invoke(js.Null())
	<-t.ended // no goroutine can go on, or others have had their turn: the events come
	t.last = time.Now()
}
