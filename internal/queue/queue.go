// Package queue keeps the jobs that wait to be started in a heap, for list scheduling by priority.
package queue

// Waiting is a job in a heap; the job with the least key goes first.
type Waiting struct {
	Key float64
	Job int32
}

// Heap orders jobs by key, and jobs with equal keys by their places in the queue, which Position holds.
type Heap struct {
	Jobs     []Waiting
	Position []int32
}

// Len implements [sort.Interface].
func (h *Heap) Len() int { return len(h.Jobs) }

// Swap implements [sort.Interface].
func (h *Heap) Swap(a, b int) { h.Jobs[a], h.Jobs[b] = h.Jobs[b], h.Jobs[a] }

// Push implements [container/heap.Interface]: it appends a [Waiting].
func (h *Heap) Push(x any) { h.Jobs = append(h.Jobs, x.(Waiting)) }

// Less implements [sort.Interface].
func (h *Heap) Less(a, b int) bool {
	x, y := h.Jobs[a], h.Jobs[b]
	return x.Key < y.Key || x.Key == y.Key && h.Position[x.Job] < h.Position[y.Job]
}

// Pop implements [container/heap.Interface]: it takes off the last job.
func (h *Heap) Pop() any {
	x := h.Jobs[len(h.Jobs)-1]
	h.Jobs = h.Jobs[:len(h.Jobs)-1]
	return x
}
