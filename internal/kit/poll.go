package kit

import "context"

// Poll asks a context from time to time whether it has ended. A solver can thus check for the end at every step at almost no cost.
type Poll struct {
	ctx    context.Context
	credit int  // work left until Poll asks the context again, in units of a few nanoseconds
	ended  bool // the context had ended when it was last asked
}

// NewPoll makes a Poll of ctx.
func NewPoll(ctx context.Context) *Poll { return &Poll{ctx: ctx} }

// Stopped counts the work, in units of a few nanoseconds, and reports whether the context has ended. It asks the context once every 16,384 units.
func (p *Poll) Stopped(work int) bool {
	if p.credit -= work; p.credit <= 0 {
		p.Ask()
	}
	return p.ended
}

// Spend counts work without asking the context.
func (p *Poll) Spend(work int) { p.credit -= work }

// Ask asks the context now.
func (p *Poll) Ask() {
	const every = 1 << 14
	p.credit, p.ended = every, p.ctx.Err() != nil
}

// Ended reports whether the context had ended when it was last asked.
func (p *Poll) Ended() bool { return p.ended }
