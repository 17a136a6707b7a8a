package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// service solves instances, a few at the same time. Its limits protect the machine from its clients.
type service struct {
	mostBytes         int64        // largest size of a body
	limits            model.Limits // of an instance
	mostProcessors    int
	reading           time.Duration // time that a body may take to arrive
	stalling          time.Duration // time that a client may send nothing while its body arrives
	writing           time.Duration // time that a client may take to accept a line
	deadline, longest time.Duration // deadline of a run whose request names none, and the longest that a request may ask for
	slots             room          // one for each run, from when its body has arrived
	bodies            room          // one for each body that arrives; one that stalls takes little, so there are many
	arriving          store         // bytes of the bodies that arrive or wait for their runs
}

// newService makes a service that allows the given number of runs at the same time.
func newService(runs int) *service {
	return &service{
		mostBytes: 16 << 20, limits: model.Limits{Jobs: 20_000, Values: 200_000, Table: 1 << 22}, mostProcessors: 100_000,
		reading: 20 * time.Second, stalling: 2 * time.Second, writing: 5 * time.Second, deadline: 10 * time.Second, longest: time.Minute,
		slots: make(room, runs), bodies: make(room, 256), arriving: store{most: 64 << 20},
	}
}

// routes lists the paths that the service answers.
func (s *service) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /solve", s.solve)
	return mux
}

// request holds the contents of a request.
type request struct {
	instance *model.Instance
	choice   solve.Choice
	deadline time.Duration
	seed     uint64
}

// solve answers one request. The run holds a slot from when its body has arrived until it has ended, so there are never more runs than slots,
// and never more instances in memory.
func (s *service) solve(w http.ResponseWriter, r *http.Request) {
	out := &answer{w: w, control: http.NewResponseController(w), patience: s.writing}
	asked, wrong := s.readQuery(r.URL.RawQuery)
	if wrong != nil {
		out.refuse(wrong)
		return
	}
	text, wrong := s.receive(w, r, out.control)
	if wrong != nil {
		out.refuse(wrong)
		return
	}
	entered := s.slots.enter()
	if entered {
		defer s.slots.leave()
		asked.instance, wrong = s.read(text, asked.choice)
	}
	s.arriving.give(len(text))
	switch {
	case !entered:
		out.refuse(busy("as many runs as there may be are under way"))
		return
	case wrong != nil:
		out.refuse(wrong)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), asked.deadline) // ends early where the client hangs up
	defer cancel()
	improved, ended := start(ctx, asked)
	told := solve.Progress{Left: -1} // the progress on the last line written; none yet
	for {
		select {
		case p := <-improved:
			told.Evaluations = p.Evaluations
			if told == p {
				continue // not an improvement: solvers also report how many evaluations they have made
			}
			told = p
			if err := out.line(line{Progress: progressOf(p)}); err != nil {
				cancel() // the client is gone: stop the run; the loop waits until it has ended
			}
		case e := <-ended:
			out.end(e)
			return
		}
	}
}

// start runs the solver. The solver never waits for the client: if improvements come faster than the client reads, only the latest is kept.
func start(ctx context.Context, asked *request) (improved <-chan solve.Progress, ended <-chan ending) {
	latest, end := make(chan solve.Progress, 1), make(chan ending, 1)
	opt := solve.Options{Seed: asked.seed, Progress: func(p solve.Progress) { // called from one goroutine at a time
		select {
		case <-latest:
		default:
		}
		latest <- p
	}}
	go func() {
		var e ending
		defer func() {
			if fault := recover(); fault != nil { // one broken solver must not end the runs of the others
				e = ending{err: fmt.Errorf("panic: %v", fault)}
			}
			end <- e
		}()
		e.result, e.err = solve.Run(ctx, asked.choice, asked.instance, opt)
	}()
	return latest, end
}

// ending is the result or the error of a run.
type ending struct {
	result solve.Result
	err    error
}

// read reads an instance, or returns the refusal of a wrong one.
func (s *service) read(text []byte, choice solve.Choice) (*model.Instance, *refusal) {
	in, err := model.ReadInstanceWithin(bytes.NewReader(text), "", s.limits)
	switch {
	case errors.Is(err, model.ErrTooLarge):
		return nil, &refusal{status: http.StatusRequestEntityTooLarge, Message: err.Error()}
	case err != nil:
		return nil, badInstance(err)
	case in.Processors() > s.mostProcessors:
		return nil, &refusal{status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("expected at most %d processors, found %d", s.mostProcessors, in.Processors())}
	}
	if err := choice.Solver.Supports(in); err != nil {
		return nil, failure(err)
	}
	return in, nil
}

// readQuery reads the query, or returns the refusal of a wrong one.
func (s *service) readQuery(text string) (*request, *refusal) {
	query, err := url.ParseQuery(text) // r.URL.Query() drops what it cannot read
	if err != nil {
		return nil, badRequest("expected a query, found %q: %s", text, err)
	}
	asked := &request{deadline: s.deadline, seed: 1}
	name := "auto"
	for _, key := range slices.Sorted(maps.Keys(query)) {
		value := query.Get(key)
		if n := len(query[key]); n > 1 {
			return nil, badRequest("expected %s once, found it %d times", key, n)
		}
		switch key {
		case "solver":
			name = value
		case "deadline":
			if asked.deadline, err = time.ParseDuration(value); err != nil || asked.deadline <= 0 || asked.deadline > s.longest {
				return nil, badRequest("deadline: expected a duration above 0 and of at most %s, such as 500ms; found %q", s.longest, value)
			}
		case "seed":
			if asked.seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				return nil, badRequest("seed: expected a whole number, found %q", value)
			}
		default:
			return nil, badRequest("expected solver, deadline and seed; found %q", key)
		}
	}
	if solve.External(name) { // never run a command that a client sends
		return nil, badRequest("solver: expected one that comes with allot, found %q", name)
	}
	if asked.choice, err = solve.Choose(name); err != nil {
		return nil, badRequest("solver: %s", err)
	}
	return asked, nil
}
