package model

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// MaxListed is the number of errors that an [InputError] lists; the rest are counted.
const MaxListed = 1000

// InputError lists everything that is wrong with an input file, in the order found.
type InputError struct {
	File   string  // name of the file; may be empty for an instance built in a program
	Faults []Fault // at most MaxListed
	More   int     // faults beyond those listed
	cause  error   // what reading the file returned, if that is what ended it
}

// Fault is one thing wrong with an input.
type Fault struct {
	Path    string // JSON path, such as jobs[3].after[0]; empty for the file as a whole
	Message string // what was expected and what was found
	Option  string // the option of the reader that would mend it; empty: none
}

// Error lists the faults, one a line.
func (e *InputError) Error() string {
	var text strings.Builder
	line := func(path, message string) {
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		for _, place := range []string{e.File, path} {
			if place != "" {
				text.WriteString(place + ": ")
			}
		}
		text.WriteString(message)
	}
	for _, fault := range e.Faults {
		line(fault.Path, fault.Message)
	}
	if e.More > 0 {
		line("", "and "+numtext.Counted(e.More, "more error"))
	}
	return text.String()
}

// Unwrap is the error that reading the file returned, or nil.
func (e *InputError) Unwrap() error { return e.cause }

// Stopped is the error of a file that was not read to its end, and of the place up to which it was.
func Stopped(file, path string, cause error) *InputError {
	return &InputError{File: file, Faults: []Fault{{Path: path, Message: cause.Error()}}, cause: cause}
}

// add lists a fault, or counts it when the list is full.
func (e *InputError) add(path, format string, args ...any) {
	if e.full() {
		e.More++
		return
	}
	e.Faults = append(e.Faults, Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

// full says whether no further fault will be listed.
func (e *InputError) full() bool { return len(e.Faults) >= MaxListed }

// orNil is the error, or nil where there are no faults.
func (e *InputError) orNil() error {
	if len(e.Faults) == 0 {
		return nil
	}
	return e
}
