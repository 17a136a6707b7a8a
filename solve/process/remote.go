package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/process/online"
)

// partner decides in the place of a policy: a program, or a function of a client.
type partner interface {
	// greet writes the first line, which has no answer.
	greet(header any) error
	// ask writes a line and returns the answer, which is valid until the next call.
	ask(message any) ([]byte, error)
	// farewell writes the last line, which has no answer. The warning says what went wrong afterwards.
	farewell(message any) (warning string, err error)
	// close ends the conversation in any case and returns what is to be appended to a message.
	close() string
}

// remote is an on-line policy that asks somebody else at each instant.
type remote struct {
	meet     func(ctx context.Context, opt sim.Options) (partner, error)
	system   system  // that the partner decides on
	talk     partner // nil: not open
	ctx      context.Context
	queued   map[string]*sim.Job
	running  map[string]float64 // id → start
	ids      []string           // by handle
	arrived  []online.Job
	gone     []string // ended since the last event
	events   int64    // events so far
	now      float64
	idle     int   // events in a row at which nothing arrived, ended or ran
	mostIdle int   // of these
	refused  error // of the last answer, which stays with its text
	warning  string
}

// mostIdle is how often in a row a program may ask for a call while nothing at all happens.
const mostIdle = 1_000_000

// newRemote makes the policy for a system.
func newRemote(meet func(context.Context, sim.Options) (partner, error), s system) *remote {
	return &remote{meet: meet, system: s, queued: map[string]*sim.Job{}, running: map[string]float64{}, mostIdle: mostIdle}
}

// Open implements sim.Opener: it meets the partner and writes the header.
func (p *remote) Open(ctx context.Context, opt sim.Options) error {
	p.ctx = ctx
	var err error
	if p.talk, err = p.meet(ctx, opt); err != nil {
		return err
	}
	header := p.system.header()
	header.Format, header.Version, header.Seed, header.Kill = online.Format, solve.Version(), opt.Seed, opt.Kill
	if err = p.talk.greet(header); err != nil {
		p.talk.close()
	}
	return err
}

// Close implements sim.Opener: it writes the last line, ends the program and completes the error.
func (p *remote) Close(err error) error {
	if err == nil {
		p.warning, err = p.talk.farewell(&online.End{End: true, Now: p.now})
	} else if errors.Is(err, sim.ErrPolicy) && p.refused != nil {
		err = fmt.Errorf("%w: %w", p.refused, err)
	} else if errors.Is(err, sim.ErrPolicy) && len(p.queued) > 0 {
		err = fmt.Errorf("after event %d at %v nothing runs, no job arrives any more and the program asked for no call, but %d %s still, such as %q",
			p.events, p.now, len(p.queued), verb(len(p.queued)), p.firstQueued())
	}
	words := p.talk.close()
	switch {
	case p.ctx.Err() != nil:
		return p.ctx.Err()
	case err == nil:
		if p.warning != "" {
			p.warning += words
		}
		return nil
	case errors.Is(err, solve.ErrUnsupported):
		return err
	}
	return fmt.Errorf("%w%s", err, words)
}

// verb is the verb for a number of jobs, which stands before it.
func verb(jobs int) string {
	if jobs == 1 {
		return "job waits"
	}
	return "jobs wait"
}

// firstQueued is the queued job that is first in queue order.
func (p *remote) firstQueued() string {
	first, least := "", int64(math.MaxInt64)
	for id, j := range p.queued {
		if j.Number < least {
			first, least = id, j.Number
		}
	}
	return first
}

// Warning implements sim.Warner.
func (p *remote) Warning() string { return p.warning }

// Arrive implements sim.Policy.
func (p *remote) Arrive(j *sim.Job) {
	id := p.system.id(j)
	for int(j.Handle) >= len(p.ids) {
		p.ids = append(p.ids, "")
	}
	p.ids[j.Handle] = id
	p.queued[id] = j
	told := p.system.tell(j)
	told.Number, told.Arrival = j.Number, j.Arrival
	p.arrived = append(p.arrived, told)
}

// Release implements sim.Policy.
func (p *remote) Release(j *sim.Job, _ int, last bool) {
	if last {
		id := p.ids[j.Handle]
		delete(p.running, id)
		p.gone = append(p.gone, id)
	}
}

// Decide implements sim.Policy: it tells the program what happened and does what the answer says.
func (p *remote) Decide(e *sim.Engine) {
	p.now = e.Now()
	if p.idle++; len(p.arrived)+len(p.gone)+len(p.running) > 0 {
		p.idle = 0
	}
	if p.idle > p.mostIdle {
		e.Fail(fmt.Errorf("the program asked to be called %d times in a row while no job ran or arrived: it waits for nothing, at %v", p.mostIdle, p.now))
		return
	}
	event := online.Event{Now: p.now, Arrived: p.arrived, Ended: p.gone}
	if event.Arrived == nil {
		event.Arrived = []online.Job{}
	}
	if event.Ended == nil {
		event.Ended = []string{}
	}
	p.system.free(e, &event)
	p.events++
	text, err := p.talk.ask(&event)
	p.arrived, p.gone = p.arrived[:0], p.gone[:0]
	if err == nil {
		if err = p.obey(e, text); err != nil {
			err = fmt.Errorf("%w; the answer was %s", err, clipped(text))
		}
	}
	switch {
	case err == nil:
	case p.ctx.Err() != nil:
		e.Fail(p.ctx.Err())
	case errors.Is(err, solve.ErrUnsupported):
		e.Fail(err)
	default:
		p.refused = fmt.Errorf("answer %d, at time %v: %w", p.events, p.now, err)
		e.Fail(p.refused)
	}
}

// obey reads an answer and does what it says.
func (p *remote) obey(e *sim.Engine, text []byte) error {
	answer, err := readAnswer(text)
	if err != nil {
		return err
	}
	for k := range answer.Start {
		s := &answer.Start[k]
		j, err := p.waiting(s.Job)
		if err != nil {
			return fmt.Errorf("start[%d].job: %w", k, err)
		}
		if field, wrong := p.system.start(e, j, s); wrong != nil {
			return fmt.Errorf("start[%d].%s: %w", k, field, wrong)
		}
		if !j.Started() {
			return errNotStarted // the engine says why
		}
		delete(p.queued, s.Job)
		p.running[s.Job] = e.Now()
	}
	for k := range answer.Reject {
		r := &answer.Reject[k]
		j, err := p.waiting(r.Job)
		if err != nil {
			return fmt.Errorf("reject[%d].job: %w", k, err)
		}
		delete(p.queued, r.Job)
		reason := "rejected by the policy"
		if r.Reason != "" {
			reason += ": " + clipped([]byte(r.Reason))
		}
		e.Drop(j, reason)
	}
	if answer.CallMeAt == nil {
		return nil
	}
	if at := *answer.CallMeAt; !(at > e.Now()) {
		return fmt.Errorf("call_me_at: expected a time after now, %v, found %v", e.Now(), at)
	}
	if len(p.queued) > 0 { // without a queue there is nothing to decide
		e.Wake(*answer.CallMeAt)
	}
	return nil
}

// errNotStarted is the error of an answer that the engine refuses.
var errNotStarted = errors.New("the job cannot start so")

// waiting is the queued job of the name.
func (p *remote) waiting(id string) (*sim.Job, error) {
	if j, ok := p.queued[id]; ok {
		return j, nil
	}
	if since, ok := p.running[id]; ok {
		return nil, fmt.Errorf("expected the id of a job that waits, found %q, which has been running since %v", id, since)
	}
	return nil, fmt.Errorf("expected the id of a job that waits, found %q, which has not arrived or has left", id)
}

// readAnswer reads an answer, as strictly as instances are read.
func readAnswer(text []byte) (*online.Answer, error) {
	answer := new(online.Answer)
	if err := model.ReadJSON(bytes.NewReader(text), "", answer); err != nil {
		return nil, firstFault(err)
	}
	return answer, nil
}
