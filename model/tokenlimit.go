package model

import (
	"fmt"
	"io"
)

// tokenLimit passes a JSON text on and fails at a text, number or run of white space longer than maxToken, so that a file
// cannot make the decoder hold more than that at once.
type tokenLimit struct {
	r       io.Reader
	inText  bool
	escaped bool
	length  int // of the token, or run of white space, so far
	blank   bool
	read    int64 // bytes so far
	err     error // what ended reading, but for the end of the file; it lasts
}

// maxToken is the longest text, number or run of white space that is read.
const maxToken = 1 << 20

// Read implements io.Reader.
func (l *tokenLimit) Read(buffer []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(buffer)
	l.read += int64(n)
	if err != io.EOF {
		l.err = err
	}
	for k, b := range buffer[:n] {
		if l.advance(b) > maxToken {
			l.err = fmt.Errorf("expected texts, numbers and white space of at most %d bytes, found a longer one", maxToken)
			return k, l.err
		}
	}
	return n, err
}

// advance takes the next byte and returns the length of the token it belongs to so far.
func (l *tokenLimit) advance(b byte) int {
	switch {
	case l.inText:
		l.length++
		switch {
		case l.escaped:
			l.escaped = false
		case b == '\\':
			l.escaped = true
		case b == '"':
			l.inText, l.length = false, 0
		}
	case b == '"':
		l.inText, l.length = true, 0
	case b == ' ' || b == '\n' || b == '\r' || b == '\t':
		if !l.blank {
			l.length = 0
		}
		l.length++
		l.blank = true
		return l.length
	case b == ',' || b == ':' || b == '{' || b == '}' || b == '[' || b == ']':
		l.length = 0
	default:
		if l.blank {
			l.length = 0
		}
		l.length++
	}
	l.blank = false
	return l.length
}
