package readertest

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

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
	inUse := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapInuse
	}
	runtime.GC()
	before, most := inUse(), uint64(0)
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, inUse())
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	err := read(text)
	close(done)
	<-stopped
	var wrong *model.InputError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %.300v, want %s", err, want)
	}
	if most = max(most, inUse()); most > before+96<<20 {
		t.Errorf("the heap grew by %d MiB", (most-before)>>20)
	}
}
