//go:build page

package process

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/allot-opt/allot/solve"
)

// A page can run no programs and has no functions that are solvers: names of such solvers are refused.
var _ = [...]string{solve.RegisterScheme("exec", absent), solve.RegisterScheme("exec-online", absent), solve.RegisterScheme("call", absent), solve.RegisterScheme("call-online", absent)}

func absent(name string) (solve.Info, error) {
	return solve.Info{}, fmt.Errorf("the page runs no programs and functions from outside: expected a solver of allot, found %q", name)
}

// Client is never asked in a page.
type Client interface {
	Call(ctx context.Context, c Call) (json.RawMessage, error)
}

// Call is what a client would be asked.
type Call struct {
	Method, Function string
	Policy           int64
	Params           []byte
	Improved         func(solution []byte) error
}

// WithClient leaves the context as it is.
func WithClient(ctx context.Context, _ Client) context.Context { return ctx }

// FunctionError says that a function of a client failed.
type FunctionError struct{ Text string }

// Error has the text of the client.
func (e *FunctionError) Error() string { return "the function failed: " + e.Text }
