// Package looks has a context that counts how often it is asked whether it has ended, and that ends after some of these looks. Tests of what has to end with its
// context so need no clock: they end it at any step, and see by how many looks it is late. The looks also measure the work of what looks after every bit of it.
package looks

import (
	"context"
	"math"
	"sync/atomic"
)

// Context is a context that counts the calls of Err. Contexts made of it do not call it, they only end with it.
type Context struct {
	context.Context
	taken atomic.Int64
	after int64 // it ends when it was asked more often
	done  chan struct{}
}

// Until returns a context that says at the given number of looks that it goes on, and ends at the next one.
func Until(looks int64) *Context {
	return &Context{Context: context.Background(), after: looks, done: make(chan struct{})}
}

// Count returns a context that only counts.
func Count() *Context { return Until(math.MaxInt64) }

// Err counts a look.
func (c *Context) Err() error {
	n := c.taken.Add(1)
	if n == c.after+1 {
		close(c.done)
	}
	if n > c.after {
		return context.Canceled
	}
	return nil
}

// Done returns a channel that is closed when the context ends.
func (c *Context) Done() <-chan struct{} { return c.done }

// Taken returns the number of looks so far.
func (c *Context) Taken() int64 { return c.taken.Load() }
