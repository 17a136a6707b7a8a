package shelves

import (
	"cmp"
	"context"
	"slices"
)

// exactKnapsack is the largest product of items and capacity for which the best choice is computed.
const exactKnapsack = 4_000_000

// item is a job that the first shelf may take.
type item struct {
	job    int
	weight int // processors
	value  float64
}

// knapsack chooses items of the largest total value whose total weight is at most the capacity. Above [exactKnapsack] it takes them greedily, by value per weight, which may miss
// the largest value. If the context ends, it returns none.
//
// Complexity: O(items · capacity).
func knapsack(ctx context.Context, items []item, capacity int) []item {
	total := 0
	for _, i := range items {
		total += i.weight
	}
	if total <= capacity {
		return items
	}
	var chosen []item
	if len(items) > exactKnapsack/max(1, capacity) {
		order := slices.Clone(items)
		slices.SortStableFunc(order, func(a, b item) int { return cmp.Compare(b.value/float64(b.weight), a.value/float64(a.weight)) })
		for _, i := range order {
			if i.weight <= capacity {
				capacity -= i.weight
				chosen = append(chosen, i)
			}
		}
		return chosen
	}
	best := make([]float64, capacity+1) // by weight that may be used
	taken := make([]bool, len(items)*(capacity+1))
	for k, i := range items {
		if ctx.Err() != nil {
			return nil
		}
		row := taken[k*(capacity+1):][:capacity+1]
		for w := capacity; w >= i.weight; w-- {
			if with := best[w-i.weight] + i.value; with > best[w] {
				best[w], row[w] = with, true
			}
		}
	}
	for k, w := len(items)-1, capacity; k >= 0; k-- {
		if taken[k*(capacity+1)+w] {
			chosen = append(chosen, items[k])
			w -= items[k].weight
		}
	}
	return chosen
}
