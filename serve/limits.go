package serve

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/solve"
)

// Limits protect the machine from clients.
type Limits struct {
	Body      int64         // bytes of a request
	Arriving  int           // bytes of all requests that arrive, or wait for a place
	Share     int           // bytes of those of one client
	Bodies    int           // requests that arrive at once
	Runs      int           // runs at once
	Queue     int           // requests that wait for a place
	PerClient int           // requests of one client under way or waiting; 0: no limit
	Time      time.Duration // longest run; 0: no limit
	Usual     time.Duration // of a run whose request names neither a time nor a number of evaluations; 0: no limit
	Memory    int64         // estimated bytes of all runs at once
	Workers   int           // most workers of a run
	Documents budget.Limits // of all documents of a request together, decompressed

	Reading  time.Duration // that a body may take to arrive
	Stalling time.Duration // that a client may send nothing while its body arrives
	Writing  time.Duration // that a client may take to accept a piece of the answer
}

// Public are the limits for clients that nobody knows. Most runs have a limit of time, and more of them at once than there are processors get less done in it each, but
// none waits long: 50 clients that each want 200 ms on two processors are answered within a second.
func Public() Limits {
	return Limits{
		Body: 64 << 20, Arriving: 256 << 20, Share: 128 << 20, Bodies: 512, Runs: 16 * runtime.GOMAXPROCS(0), Queue: 256, PerClient: 0, Time: time.Minute, Usual: 10 * time.Second, Memory: 2 << 30,
		Workers: 1, Documents: budget.Limits{Files: 300, Bytes: 256 << 20, Names: 5_000_000, Steps: 1 << 27},
		Reading: 30 * time.Second, Stalling: 5 * time.Second, Writing: 10 * time.Second,
	}
}

// Private are the limits for the one client on standard input, who started the service: they bound what a mistake costs.
func Private() Limits {
	l := Public()
	l.Body, l.Arriving, l.Share, l.Queue, l.Time, l.Usual = 1<<30, 2<<30, 2<<30, 10_000, 0, 0
	l.Runs, l.Workers = runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0)
	l.Memory, l.Documents = 16<<30, budget.Usual()
	l.Documents.Bytes = 4 << 30
	return l
}

// store limits how many bytes may be held at once.
type store struct {
	mutex      sync.Mutex
	held, most int64
}

// take takes room for some bytes and says whether there was enough.
func (s *store) take(bytes int64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if bytes > s.most-s.held {
		return false
	}
	s.held += bytes
	return true
}

// give gives the room of some bytes back.
func (s *store) give(bytes int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.held -= bytes
}

// share is a store of which no client may hold more than a part.
type share struct {
	store
	each int64
	of   map[string]int64 // bytes that clients hold
}

// take takes room for some bytes of a client and says whether there was enough.
func (s *share) take(client string, bytes int64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if bytes > s.most-s.held || bytes > s.each-s.of[client] {
		return false
	}
	s.held += bytes
	s.of[client] += bytes
	return true
}

// give gives the room of some bytes of a client back.
func (s *share) give(client string, bytes int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.held -= bytes
	if s.of[client] -= bytes; s.of[client] <= 0 {
		delete(s.of, client)
	}
}

// gate lets a number of runs in at once. The others wait, first come first served.
type gate struct {
	mutex     sync.Mutex
	places    int // in all
	free      int
	waiting   []chan struct{}
	most      int // that wait
	perClient int
	clients   map[string]int // requests from their first byte to the end of their answer
}

// arrive counts a request for its client, before anything of it is read. The error says that the client has too many, or that there is no place to wait in.
func (g *gate) arrive(client string) *Error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.perClient > 0 && g.clients[client] >= g.perClient {
		return fail(Busy, "expected at most %s of one client at a time", numtext.Counted(g.perClient, "request"))
	}
	if err := g.full(); err != nil {
		return err
	}
	g.clients[client]++
	return nil
}

// full says that as many requests wait as may; nil: there is a place, or one to wait in.
func (g *gate) full() *Error {
	if g.free <= 0 && len(g.waiting) >= g.most {
		return fail(Busy, "expected at most %s to wait for a place", numtext.Counted(g.most, "request"))
	}
	return nil
}

// gone counts a request of the client no longer.
func (g *gate) gone(client string) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.clients[client]--; g.clients[client] <= 0 {
		delete(g.clients, client)
	}
}

// enter waits for a place. The error says that there is none, or that ctx has ended.
func (g *gate) enter(ctx context.Context) error {
	g.mutex.Lock()
	if err := g.full(); err != nil {
		g.mutex.Unlock()
		return err
	}
	if g.free > 0 {
		g.free--
		g.mutex.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mutex.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	for k := range g.waiting {
		if g.waiting[k] == turn {
			g.waiting = append(g.waiting[:k:k], g.waiting[k+1:]...)
			return fail(Cancelled, "cancelled while it waited for a place")
		}
	}
	g.pass() // the turn came at the same time
	return fail(Cancelled, "cancelled while it waited for a place")
}

// leave gives the place of a request back.
func (g *gate) leave() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.pass()
}

// pass hands a place to the first that waits. Places are owed where runs came back before there was one.
func (g *gate) pass() {
	if g.free++; g.free > 0 && len(g.waiting) > 0 {
		g.free--
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
	}
}

// load counts the requests that run and those that wait.
func (g *gate) load() (running, waiting int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.places - g.free, len(g.waiting)
}

// lend gives the place away while the run waits for its client, so that requests which the client makes meanwhile get one. The run has it back by the function that
// is returned, at once: for a moment there may be a run too many.
func (g *gate) lend() (back func()) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.pass()
	return func() {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		g.free--
	}
}

// memoryOf estimates the bytes that an operation on an instance takes: the instance, and schedules and tables for each of its workers.
// It was measured, see TestMemoryEstimate.
func memoryOf(in *model.Instance, workers int) int64 {
	jobs, processors, clusters := int64(len(in.Jobs())), int64(in.Processors()), int64(len(in.Clusters()))
	instance := 2048*jobs + 64*processors + 32*jobs*clusters
	schedules := 1024*jobs + 128*processors + 32*jobs*clusters
	return 4<<20 + instance + schedules*int64(1+workers)
}

// admit takes the memory of an operation on the instance with a number of workers, which runs the solvers one after another, until the request is answered.
func (c *call) admit(in *model.Instance, workers int, solvers ...solve.Choice) error {
	bytes, most := memoryOf(in, workers), c.service.limits.Memory
	parameters := int64(0)
	for _, choice := range solvers {
		parameters = max(parameters, solve.Memory(choice.Solver, in))
	}
	bytes += parameters
	megabytes := func(b int64) string { return fmt.Sprintf("%d MB", (b+1<<20-1)>>20) }
	switch {
	case bytes > most:
		return fail(TooLarge, "work on this instance is estimated to take %s of memory; expected at most %s", megabytes(bytes), megabytes(most))
	case !c.service.memory.take(bytes):
		return fail(Busy, "work on this instance is estimated to take %s of memory, more than other requests leave of %s now", megabytes(bytes), megabytes(most))
	}
	c.held += bytes
	return nil
}
