package readertest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/model"
)

// Long is a text of a head and a body over and over again, made while it is read.
type Long struct {
	Head, Body string
	Times      int
	rest       string
}

// Read implements io.Reader.
func (l *Long) Read(buffer []byte) (int, error) {
	switch {
	case l.Head != "":
		l.rest, l.Head = l.Head, ""
	case l.rest == "" && l.Times == 0:
		return 0, io.EOF
	case l.rest == "":
		l.rest = l.Body
		l.Times--
	}
	n := copy(buffer, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Bounded asks of a reader that it refuses the text with an error that holds want, and that the heap in use grows by no more than 96 MiB
// while it reads: the cells of the longest row.
func Bounded(t *testing.T, text *Long, read func(io.Reader) error, want string) {
	t.Helper()
	var err error
	grown := peak.Heap(func() { err = read(text) })
	var wrong *model.InputError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %.300v, want %s", err, want)
	}
	if grown > 96<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// Table asks of a reader of CSV that it refuses tables that are wrong and long, see [Bounded]: what a few megabytes of gzip can unpack to, a cell without end
// or a row over and over again. The header begins with the column id, which names a job; rest is a row behind that cell. The reader finds that an id
// stands again in the given line.
func Table(t *testing.T, header, rest string, again int, read func(io.Reader) error) {
	t.Helper()
	id, _, _ := strings.Cut(header, ",")
	const tooLong = "expected a line of at most 1048576 bytes, found a longer one"
	megabyte := strings.Repeat("a", 1<<20)
	header += "\n"
	for name, c := range map[string]struct {
		text Long
		want string
	}{
		"a cell":            {Long{Head: header + `"`, Body: megabyte, Times: 200}, tooLong},
		"a cell of lines":   {Long{Head: header + `"`, Body: strings.Repeat("\n", 1<<20), Times: 200}, tooLong},
		"a line":            {Long{Head: header, Body: megabyte, Times: 200}, tooLong},
		"a row of columns":  {Long{Head: header, Body: strings.Repeat(",", 1<<20), Times: 200}, tooLong},
		"the same row":      {Long{Head: header, Body: strings.Repeat("1"+rest+"\n", 10_000), Times: 50}, fmt.Sprintf("line %d: %s: expected a unique id", again, id)},
		"long ids":          {Long{Head: header, Body: megabyte[:1<<19] + rest + "\n", Times: 200}, "line 2: " + id + ": expected a text of 1 to 1000 bytes"},
		"a header too long": {Long{Head: id, Body: strings.Repeat(",a", 1<<18), Times: 100}, tooLong},
	} {
		t.Run(name, func(t *testing.T) { Bounded(t, &c.text, read, c.want) })
	}
}
