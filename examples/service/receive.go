package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// room limits how many may be inside at once: its capacity.
type room chan struct{}

// enter takes a place and says whether there was one.
func (r room) enter() bool {
	select {
	case r <- struct{}{}:
		return true
	default:
		return false
	}
}

// leave gives a place back.
func (r room) leave() { <-r }

// store limits how many bytes may be held at once.
type store struct {
	mutex      sync.Mutex
	held, most int
}

// take takes room for some bytes and says whether there was enough.
func (s *store) take(bytes int) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if bytes > s.most-s.held {
		return false
	}
	s.held += bytes
	return true
}

// give gives the room of some bytes back.
func (s *store) give(bytes int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.held -= bytes
}

// receive reads a body, or returns the refusal of one that does not arrive. It takes no memory but for the bytes that have arrived, so clients that
// send nothing keep nobody else out. The caller gives the room of the text in s.arriving back.
func (s *service) receive(w http.ResponseWriter, r *http.Request, control *http.ResponseController) (text []byte, wrong *refusal) {
	if !s.bodies.enter() {
		return nil, busy("as many requests as there may be are arriving")
	}
	defer s.bodies.leave()
	defer func() {
		if wrong != nil {
			s.arriving.give(len(text))
		}
	}()
	// From the end on the server watches whether the client closes the connection.
	defer func() { _ = control.SetReadDeadline(time.Time{}) }() // a connection without deadlines has no limit
	body, last := http.MaxBytesReader(w, r.Body, s.mostBytes), time.Now().Add(s.reading)
	piece := make([]byte, 16<<10)
	for {
		limit := time.Now().Add(s.stalling)
		if limit.After(last) {
			limit = last
		}
		_ = control.SetReadDeadline(limit)
		n, err := body.Read(piece)
		if !s.arriving.take(n) {
			return text, busy("as many bytes as there may be are arriving")
		}
		text = append(text, piece[:n]...)
		var tooLarge *http.MaxBytesError
		switch {
		case err == io.EOF:
			return text, nil
		case errors.As(err, &tooLarge):
			return text, &refusal{status: http.StatusRequestEntityTooLarge, Message: fmt.Sprintf("expected an instance of at most %d bytes", s.mostBytes)}
		case errors.Is(err, os.ErrDeadlineExceeded):
			return text, &refusal{status: http.StatusRequestTimeout, Message: fmt.Sprintf("expected the whole instance within %v without pauses of more than %v", s.reading, s.stalling)}
		case err != nil:
			return text, badRequest("the body does not arrive: %s", err)
		}
	}
}
