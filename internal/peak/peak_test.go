package peak

import (
	"runtime"
	"testing"
	"time"
)

func TestWatchSeesWhatWasHeldAndFreed(t *testing.T) {
	const size = 64 << 20
	idle := Watch()()
	end := Watch()
	block := make([]byte, size)
	for k := range block {
		block[k] = 1
	}
	runtime.KeepAlive(block)
	most := end()
	if grown := most - idle; grown < size/2 {
		t.Errorf("%.0f bytes more than idle, expected about %d", grown, size)
	}
	if again := Watch()(); again > most-size/2 {
		t.Errorf("%.0f bytes after it was freed, %.0f before", again, most)
	}
}

func TestHeapSeesWhatWasHeldAndFreed(t *testing.T) {
	const size = 64 << 20
	hold := func() {
		block := make([]byte, size)
		time.Sleep(100 * time.Millisecond) // some samples
		block[size-1] = 1
		runtime.KeepAlive(block)
	}
	if grown := Heap(hold); grown < size/2 || grown > 2*size {
		t.Errorf("%d bytes more than before, expected about %d", grown, size)
	}
	if grown := Heap(func() {}); grown > size/2 {
		t.Errorf("%d bytes more than before while nothing ran", grown)
	}
}
