package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// refusal is the answer to a request that fails.
type refusal struct {
	status  int
	Message string  `json:"error"`
	Faults  []fault `json:"faults,omitempty"`
}

// fault is one fault of an instance.
type fault struct {
	Path    string `json:"path"` // such as jobs[3].after[0]; empty: the instance as a whole
	Message string `json:"message"`
}

// badRequest makes the refusal of a wrong request.
func badRequest(format string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...)}
}

// badInstance makes the refusal of a wrong instance. It lists the faults with their JSON paths.
func badInstance(err error) *refusal {
	wrong := badRequest("the instance is wrong: %s", err)
	if input := (*model.InputError)(nil); errors.As(err, &input) {
		for _, f := range input.Faults {
			wrong.Faults = append(wrong.Faults, fault{f.Path, f.Message})
		}
	}
	return wrong
}

// failure makes the refusal for the error of a solver.
func failure(err error) *refusal {
	if errors.Is(err, solve.ErrUnsupported) {
		return &refusal{status: http.StatusUnprocessableEntity, Message: err.Error()}
	}
	return &refusal{status: http.StatusInternalServerError, Message: err.Error()}
}

// busy makes the refusal of a request for which there is no room now.
func busy(why string) *refusal {
	return &refusal{status: http.StatusServiceUnavailable, Message: why}
}

// line is a line of the answer. Exactly one field is set.
type line struct {
	Progress *progress `json:"progress,omitempty"`
	Result   *result   `json:"result,omitempty"`
	Error    string    `json:"error,omitempty"` // the error of a run that failed after its first line
}

// progress is an improvement.
type progress struct {
	Evaluations int64       `json:"evaluations"`
	Objective   *float64    `json:"objective,omitempty"` // absent: no schedule yet
	Bound       model.Bound `json:"bound,omitzero"`      // absent: none is proved yet
	Left        int         `json:"left"`                // jobs that the best schedule leaves out
}

// result is the result of a run. The solution itself states its cost and what is proved of it.
type result struct {
	Status   model.Status    `json:"status"`
	Stop     model.Stop      `json:"stop"`
	Reason   string          `json:"reason,omitempty"`   // why the instance is infeasible
	Warning  string          `json:"warning,omitempty"`  // what went wrong although there is a solution
	Solution json.RawMessage `json:"solution,omitempty"` // absent: no solution was found
}

// progressOf converts an improvement for the client. It leaves out infinite numbers, which JSON cannot state.
func progressOf(p solve.Progress) *progress {
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil
		}
		return &x
	}
	return &progress{Evaluations: p.Evaluations, Objective: finite(p.Objective), Bound: p.Bound, Left: p.Left}
}

// answer writes the answer to one request: a refusal, or lines.
type answer struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration // time for the client to accept a line
	begun    bool          // a line was written
}

// refuse answers with a refusal.
func (a *answer) refuse(wrong *refusal) {
	_ = a.control.SetReadDeadline(time.Now().Add(time.Second)) // the server reads the rest of a short body first, which may never arrive
	a.w.Header().Set("Content-Type", "application/json")
	if wrong.status == http.StatusServiceUnavailable {
		a.w.Header().Set("Retry-After", "1")
	}
	a.w.WriteHeader(wrong.status)
	_ = json.NewEncoder(a.w).Encode(wrong) // if the client is gone, nobody needs the answer
}

// line writes a line and sends it at once. An error means that the client is gone or does not read.
func (a *answer) line(l line) error {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "application/x-ndjson")
	}
	_ = a.control.SetWriteDeadline(time.Now().Add(a.patience)) // a connection without deadlines has no limit
	defer func() { _ = a.control.SetWriteDeadline(time.Time{}) }()
	if err := json.NewEncoder(a.w).Encode(l); err != nil {
		return err
	}
	return a.control.Flush()
}

// end writes the last line. If the run failed before the first line, it writes a refusal instead.
func (a *answer) end(e ending) {
	if e.err != nil && !a.begun {
		a.refuse(failure(e.err))
		return
	}
	last := line{}
	switch solution, err := written(e.result.Solution); {
	case e.err != nil:
		last.Error = e.err.Error()
	case err != nil:
		last.Error = err.Error()
	default:
		last.Result = &result{Status: e.result.Status, Stop: e.result.Stop, Reason: e.result.Reason, Warning: e.result.Warning, Solution: solution}
	}
	_ = a.line(last) // if the client is gone, nobody needs the answer
}

// written formats a solution as JSON, or returns nothing if there is none. The line that holds it makes it compact.
func written(sol *model.Solution) (json.RawMessage, error) {
	if sol == nil {
		return nil, nil
	}
	var text bytes.Buffer
	err := model.WriteSolution(&text, sol)
	return text.Bytes(), err
}
