package queue_test

import (
	"container/heap"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/queue"
)

// boxed is a heap of package container/heap.
type boxed []queue.Waiting

func (b boxed) Len() int           { return len(b) }
func (b boxed) Less(x, y int) bool { return b[x].Before(b[y]) }
func (b boxed) Swap(x, y int)      { b[x], b[y] = b[y], b[x] }
func (b *boxed) Push(x any)        { *b = append(*b, x.(queue.Waiting)) }
func (b *boxed) Pop() any {
	last := (*b)[len(*b)-1]
	*b = (*b)[:len(*b)-1]
	return last
}

// The order is that of container/heap, of items too of which none goes before the other.
func TestHeapIsThatOfTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(job int) queue.Waiting {
		return queue.Waiting{Key: float64(rng.IntN(5)), Place: int32(rng.IntN(3)), Job: int32(job)}
	}
	for n := range 40 {
		var want boxed
		for k := range n {
			want = append(want, draw(k))
		}
		got := append(queue.Heap[queue.Waiting]{}, want...)
		got.Init()
		heap.Init(&want)
		for step := range 300 {
			switch rng.IntN(3) {
			case 0:
				x := draw(1000 + step)
				got.Push(x)
				heap.Push(&want, x)
			case 1:
				if len(want) > 0 {
					k, x := rng.IntN(len(want)), draw(2000+step)
					got[k], want[k] = x, x
					got.Fix(k)
					heap.Fix(&want, k)
				}
			default:
				if len(want) > 0 {
					if x, y := got.Pop(), heap.Pop(&want); x != y {
						t.Fatalf("%v, container/heap has %v", x, y)
					}
				}
			}
			for k := range want {
				if got[k] != want[k] {
					t.Fatalf("place %d: %v, container/heap has %v", k, got[k], want[k])
				}
			}
		}
	}
}
