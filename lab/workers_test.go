package lab

import (
	"runtime"
	"testing"
)

// Who asks for a number of workers gets that, others one for each processor.
func TestAtOnce(t *testing.T) {
	if n := (&Options{Workers: 1}).AtOnce(); n != 1 {
		t.Errorf("1 worker: %d at once", n)
	}
	if n := (&Options{}).AtOnce(); n != runtime.GOMAXPROCS(0) {
		t.Errorf("no number of workers: %d at once", n)
	}
}
