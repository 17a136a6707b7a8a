// Package lines holds what the readers of foreign formats share: lines of bounded length, numbers in the model's range,
// and faults that name their place in the file.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLength is the longest line, in bytes without its end, that is read. No more than that is ever held of a line.
const MaxLength = 1 << 20

// Scanner reads a text line by line. Lines end with LF or CRLF; a byte order mark before the first is left out.
type Scanner struct {
	scanner *bufio.Scanner
	line    int
	bytes   []byte
}

// NewScanner scans the lines of r.
func NewScanner(r io.Reader) *Scanner {
	s := &Scanner{scanner: bufio.NewScanner(r)}
	s.scanner.Buffer(make([]byte, 0, 1<<16), MaxLength+2) // room for the line's end
	return s
}

// Scan goes to the next line; it is false at the end and after an error.
func (s *Scanner) Scan() bool {
	if !s.scanner.Scan() {
		s.bytes = nil
		return false
	}
	s.line++
	s.bytes = s.scanner.Bytes()
	if s.line == 1 {
		s.bytes = bytes.TrimPrefix(s.bytes, []byte("\ufeff"))
	}
	return true
}

// Bytes is the line without its end, valid until the next Scan.
func (s *Scanner) Bytes() []byte { return s.bytes }

// Line is the number of the line, from 1.
func (s *Scanner) Line() int { return s.line }

// Check reports whether the scan reached the end of the text. If an error ended it, Check adds the error to the faults,
// with its line.
func (s *Scanner) Check(faults *Faults) bool {
	err := s.scanner.Err()
	switch {
	case err == nil:
		return true
	case errors.Is(err, bufio.ErrTooLong):
		faults.Line(s.line+1, "%s", TooLong)
	default:
		faults.Line(s.line+1, "%s", err)
	}
	return false
}

// TooLong is the message for a line longer than [MaxLength].
var TooLong = fmt.Sprintf("expected a line of at most %d bytes, found a longer one", MaxLength)
