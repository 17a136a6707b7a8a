package queue_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/queue"
)

// keys orders items by their keys, of equal keys by their numbers, and notes their places.
type keys struct{ key, place []int }

func (k *keys) Before(a, b int) bool { return k.key[a] < k.key[b] || k.key[a] == k.key[b] && a < b }
func (k *keys) Put(x int, place int) { k.place[x] = place }

// TestPlacedKnowsThePlaces compares a heap with a sorted list while items come, change and leave.
func TestPlacedKnowsThePlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of, heap, in := &keys{}, queue.Placed[int]{}, map[int]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			var list []int
			for x := range of.key {
				if in[x] {
					list = append(list, x)
				}
			}
			switch what := rapid.SampledFrom([]string{"push", "push", "change", "remove"}).Draw(t, "what"); {
			case what == "push" || len(list) == 0:
				x := len(of.key)
				of.key, of.place = append(of.key, rapid.IntRange(0, 9).Draw(t, "key")), append(of.place, -1)
				in[x] = true
				heap.Push(of, x)
			case what == "change":
				x := rapid.SampledFrom(list).Draw(t, "item")
				of.key[x] = rapid.IntRange(0, 9).Draw(t, "key")
				heap.Fix(of, of.place[x])
			default:
				x := rapid.SampledFrom(list).Draw(t, "item")
				delete(in, x)
				if heap.Remove(of, of.place[x]); of.place[x] != -1 {
					t.Fatalf("item %d has left and is at place %d", x, of.place[x])
				}
			}
			for k, x := range heap {
				if of.place[x] != k || !in[x] {
					t.Fatalf("item %d is at place %d, noted is %d", x, k, of.place[x])
				}
			}
			if len(heap) != len(in) || len(heap) > 0 && slices.ContainsFunc(heap, func(x int) bool { return of.Before(x, heap[0]) }) {
				t.Fatalf("%d items of %d, the first of key %v", len(heap), len(in), heap)
			}
		}
	})
}
