// Command service solves instances over HTTP:
//
//	go run ./examples/service
//	curl --no-buffer --data-binary @examples/multicluster.json 'http://localhost:8080/solve?solver=search&deadline=2s'
//
// The body is an instance. The query names the solver as allot's --solver does (with parameters: search:effort=3), the deadline of the run and
// the seed. The answer is a line of JSON for each improvement, {"progress": …}, as it is found, and a last one, {"result": …}, with the
// solution. Whoever hangs up stops the run. What is wrong with a request is said in JSON: 400 for a mistake, with the JSON path
// where the instance has it, 413 for one that is too large, 422 where the solver does not support the instance, and 503 where as many runs as
// there may be are under way.
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	_ "github.com/allot-opt/allot/solvers"
)

func main() {
	listen := flag.String("listen", "localhost:8080", "address to listen on")
	runs := flag.Int("runs", 2, "runs at a time")
	flag.Parse()
	if err := serve(*listen, newService(*runs)); err != nil {
		log.Fatal(err)
	}
}

// serve answers requests until the process is told to stop. Then runs are cancelled, and their clients get the best so far.
func serve(listen string, s *service) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Addr: listen, Handler: s.routes(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	log.Printf("listening on %s", listen)
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := server.Shutdown(last)
	if other := <-ended; !errors.Is(other, http.ErrServerClosed) {
		err = errors.Join(err, other)
	}
	return err
}
