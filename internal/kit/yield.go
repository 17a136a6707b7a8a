package kit

import "context"

// key finds the function of a context of Yield in contexts derived from it.
type key struct{}

// yielding is a context that gives others a turn where it is asked whether it has ended.
type yielding struct {
	context.Context
	turn func()
}

// Err implements context.Context.
func (y yielding) Err() error {
	y.turn()
	return y.Context.Err()
}

// Value implements context.Context.
func (y yielding) Value(of any) any {
	if of == (key{}) {
		return y.turn
	}
	return y.Context.Value(of)
}

// Yield returns a context that calls turn wherever its Err is called: so other work of a process has its turn while a solver runs, where the process has one thread that nothing
// interrupts, js/wasm. Solvers ask their context again and again whether it has ended.
func Yield(ctx context.Context, turn func()) context.Context { return yielding{ctx, turn} }

// YieldAgain returns a context that has been derived from one of [Yield], so that it calls the function too. Any other context it returns as it is.
func YieldAgain(ctx context.Context) context.Context {
	if turn, ok := ctx.Value(key{}).(func()); ok {
		return yielding{ctx, turn}
	}
	return ctx
}
