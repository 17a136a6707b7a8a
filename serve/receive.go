package serve

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// receive reads a body, or returns the error of one that does not arrive. It takes no memory but for the bytes that have arrived, so clients that
// send nothing keep nobody else out. They count for the client from the first one. The caller gives the room of the text in s.arriving back.
func (s *Service) receive(w http.ResponseWriter, r *http.Request, client string, control *http.ResponseController) (text []byte, refused *Error) {
	if !s.bodies.take(1) {
		return nil, fail(busy, "as many requests as there may be are arriving")
	}
	defer s.bodies.give(1)
	defer func() {
		if refused != nil {
			s.arriving.give(client, int64(len(text)))
		}
	}()
	// From the end on the server watches whether the client closes the connection.
	defer func() { _ = control.SetReadDeadline(time.Time{}) }() // a connection without deadlines has no limit
	body, last := http.MaxBytesReader(w, r.Body, s.limits.Body), time.Now().Add(s.limits.Reading)
	piece := make([]byte, 16<<10)
	for {
		limit := time.Now().Add(s.limits.Stalling)
		if limit.After(last) {
			limit = last
		}
		_ = control.SetReadDeadline(limit)
		n, err := body.Read(piece)
		if !s.arriving.take(client, int64(n)) {
			return text, fail(busy, "as many bytes as there may be, of all clients or of one, are arriving or being worked on")
		}
		text = append(text, piece[:n]...)
		var tooLarge *http.MaxBytesError
		switch {
		case err == io.EOF:
			return text, nil
		case errors.As(err, &tooLarge):
			return text, fail(TooLarge, "expected a request of at most %d bytes", s.limits.Body)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return text, fail(tooSlow, "expected the whole request within %v without pauses of more than %v", s.limits.Reading, s.limits.Stalling)
		case err != nil:
			return text, wrong("", "the body does not arrive: %s", err)
		}
	}
}
