package main

import (
	"bytes"
	"testing"
	"time"
)

// Without a terminal, a line is written after the pause has passed, and none before it or at the end.
func TestProgressInALog(t *testing.T) {
	var log bytes.Buffer
	p := newProgress(&log, "suite", 20)
	p.step()
	p.describe("search on a")
	if log.Len() > 0 {
		t.Errorf("wrote %q at once", log.String())
	}
	p.began, p.written = p.began.Add(-12*time.Second), p.written.Add(-12*time.Second)
	p.at(3)
	p.step()
	p.finish()
	if want := "search on a, 3 of 20, 12s\n"; log.String() != want {
		t.Errorf("wrote %q, expected %q", log.String(), want)
	}
}
