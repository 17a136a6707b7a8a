package main

import (
	"context"
	"sync"
	"time"
)

// asked is a context that counts how often it is asked whether it has ended. So it can end at a certain ask, which the clock has no say in.
type asked struct {
	context.Context
	mutex  sync.Mutex
	done   chan struct{}
	asks   int
	last   int            // it ends at this ask; 0: never
	before func(asks int) // called at each ask, until it has ended
}

// newAsked makes one that ends at the ask; 0: never.
func newAsked(last int, before func(asks int)) *asked {
	return &asked{Context: context.Background(), done: make(chan struct{}), last: last, before: before}
}

// Done implements context.Context.
func (a *asked) Done() <-chan struct{} { return a.done }

// Deadline implements context.Context.
func (a *asked) Deadline() (time.Time, bool) { return time.Time{}, false }

// Err implements context.Context.
func (a *asked) Err() error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.last > 0 && a.asks >= a.last {
		return context.Canceled
	}
	a.asks++
	if a.before != nil {
		a.before(a.asks)
	}
	if a.asks == a.last {
		close(a.done)
		return context.Canceled
	}
	return nil
}
