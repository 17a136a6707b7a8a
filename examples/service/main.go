// Command service solves instances over HTTP:
//
//	go run ./examples/service
//	curl --no-buffer --data-binary @examples/multicluster.json 'http://localhost:8080/solve?solver=search&deadline=2s'
//
// The body is an instance. The query names the solver as allot's --solver does (with parameters: search:effort=3), the deadline of the run and
// the seed. The answer has one line of JSON, {"progress": …}, for each improvement as soon as it is found, and a last line, {"result": …}, with the
// solution. If the client closes the connection, the run stops. Errors are JSON too, with these statuses: 400 for a wrong request (with the JSON path
// of a fault in the instance), 408 if the body does not arrive in time, 413 if the instance is too large, 422 if the solver does not support it, and 503
// if the largest number of runs is under way, or if too many bodies or bytes arrive at the same time.
//
// The memory for instances is bounded: bodies together, and jobs, values and tables of each instance while it is read. What a solver needs is not.
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

// serve answers requests until the process is told to stop. It then cancels the runs, and their clients get the best solutions so far.
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
