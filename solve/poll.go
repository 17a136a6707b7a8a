package solve

import "context"

// Poll asks a context from time to time whether it has ended, so that a solver may look at every step at next to no cost.
type Poll struct {
	ctx    context.Context
	credit int  // work until it asks again, in units of a few nanoseconds
	ended  bool // it has
}

// NewPoll asks ctx.
func NewPoll(ctx context.Context) *Poll { return &Poll{ctx: ctx} }

// Stopped says whether the context has ended, as far as known after some more work, in units of a few nanoseconds.
func (p *Poll) Stopped(work int) bool {
	if p.credit -= work; p.credit <= 0 {
		p.Ask()
	}
	return p.ended
}

// Spend counts work without asking.
func (p *Poll) Spend(work int) { p.credit -= work }

// Ask asks now.
func (p *Poll) Ask() {
	const every = 1 << 14
	p.credit, p.ended = every, p.ctx.Err() != nil
}

// Ended says whether the context had ended when it was last asked.
func (p *Poll) Ended() bool { return p.ended }
