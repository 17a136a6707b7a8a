package serve

import (
	"context"
	"errors"
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// Code says of which kind an error is.
type Code string

// The kinds of errors.
const (
	WrongInput    Code = "input"          // the request is wrong; the faults say where
	Unsupported   Code = "unsupported"    // a solver cannot honour what the instance asks for
	WrongSchedule Code = "wrong_schedule" // the checker refuses a schedule
	NoAnswer      Code = "no_answer"      // a limit or a cancellation came before there was anything to answer, or there is no answer
	Cancelled     Code = "cancelled"      // cancelled while it waited for a place, or because the service ends
	NotFound      Code = "not_found"      // no such operation or run
	NotAllowed    Code = "not_allowed"    // the token is missing or wrong, or the request comes from a page of another site
	TooLarge      Code = "too_large"      // more than the service takes at all
	Busy          Code = "busy"           // more than the service takes now
	TooSlow       Code = "too_slow"       // the body did not arrive in time
	Failure       Code = "failure"        // a bug, or a program from outside failed
)

// Error is the error of a request, as the client gets it.
type Error struct {
	Code    Code    `json:"code" enum:"input,unsupported,wrong_schedule,no_answer,cancelled,not_found,not_allowed,too_large,busy,too_slow,failure" doc:"the kind of the error"`
	Message string  `json:"message" doc:"what was expected and what was found, for people"`
	Faults  []Fault `json:"faults,omitempty" doc:"what is wrong with the request, each at its place"`
}

// Fault is one thing wrong with a request.
type Fault struct {
	Path    string `json:"path" doc:"JSON path in the request, such as instance.jobs[3].after[0]; empty: the request as a whole"`
	Message string `json:"message" doc:"what was expected and what was found"`
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// fail makes an error of a kind.
func fail(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// wrong makes the error of a request that is wrong at a path.
func wrong(path, format string, args ...any) *Error {
	return wrongAt([]Fault{{path, fmt.Sprintf(format, args...)}})
}

// wrongAt makes the error of a request with some faults.
func wrongAt(faults []Fault) *Error {
	text := ""
	for k, f := range faults {
		if k > 0 {
			text += "\n"
		}
		if f.Path != "" {
			text += f.Path + ": "
		}
		text += f.Message
	}
	return &Error{Code: WrongInput, Message: text, Faults: faults}
}

// faultsIn lists the faults of an input that stands at a path of the request. Without a list there is one fault, the error itself.
func faultsIn(path string, err error) []Fault {
	var input *model.InputError
	if !errors.As(err, &input) || len(input.Faults) == 0 {
		return []Fault{{path, err.Error()}}
	}
	var faults []Fault
	for _, f := range input.Faults {
		text := f.Message
		if input.File != "" {
			text = input.File + ": " + text
		}
		faults = append(faults, Fault{joined(path, f.Path), text})
	}
	if input.More > 0 {
		faults = append(faults, Fault{path, fmt.Sprintf("and %d more", input.More)})
	}
	return faults
}

// joined is a path below another one.
func joined(path, below string) string {
	switch {
	case path == "" || below == "":
		return path + below
	case below[0] == '[':
		return path + below
	}
	return path + "." + below
}

// errorOf is an error as the client gets it.
func errorOf(err error) *Error {
	var own *Error
	var option *answers.OptionError
	var input *model.InputError
	var parameter *params.Error
	var passed *budget.Error
	var ended *budget.Ended
	var schedule *solve.WrongScheduleError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &option):
		return wrong(option.Option, "%s", option.Err)
	case errors.As(err, &passed):
		return fail(TooLarge, "%s", err)
	case errors.As(err, &ended):
		return fail(NoAnswer, "stopped before the documents were read: %s", ended.Cause)
	case errors.As(err, &input):
		return wrongAt(faultsIn("", err))
	case errors.As(err, &parameter):
		return wrong("", "%s", err)
	case errors.Is(err, solve.ErrUnsupported), errors.Is(err, sim.ErrHorizon):
		return fail(Unsupported, "%s", err)
	case errors.As(err, &schedule):
		return fail(WrongSchedule, "%s", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fail(NoAnswer, "stopped before there was an answer: %s", err)
	}
	return fail(Failure, "%s", err)
}
