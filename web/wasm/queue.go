//go:build js

package main

import "sync"

// queue holds the lines that have arrived until they are read. Whoever puts one never waits.
type queue struct {
	mutex sync.Mutex
	more  *sync.Cond
	lines []string
}

func newQueue() *queue {
	q := &queue{}
	q.more = sync.NewCond(&q.mutex)
	return q
}

// put appends a line, with its end.
func (q *queue) put(line string) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.lines = append(q.lines, line)
	q.more.Signal()
}

// Read implements io.Reader. It waits for a line.
func (q *queue) Read(buffer []byte) (int, error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.lines) == 0 {
		q.more.Wait()
	}
	n := copy(buffer, q.lines[0])
	if q.lines[0] = q.lines[0][n:]; q.lines[0] == "" {
		q.lines = q.lines[1:]
	}
	return n, nil
}
