//go:build js

package main

import (
	"context"
	"runtime/debug"
	"syscall/js"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/serve"
)

func main() {
	debug.SetGCPercent(400)
	in := newQueue()
	receive := js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		in.put(arguments[0].Get("data").String() + "\n")
		return nil
	})
	js.Global().Set("onmessage", receive)
	_ = serve.New(serve.Options{Limits: limits()}).ServeLines(kit.Yield(context.Background(), newTurns().take), in, outbox{}) // ends with the worker
}

// limits are those of a client that is alone, as far as 32 bits of address allow.
func limits() serve.Limits {
	l := serve.Private()
	l.Memory, l.Documents.Bytes = 2<<30, 1<<30
	return l
}

// outbox writes lines as messages to the page.
type outbox struct{}

// Write implements io.Writer. It is called with one line.
func (outbox) Write(line []byte) (int, error) {
	js.Global().Call("postMessage", string(line[:len(line)-1]))
	return len(line), nil
}
