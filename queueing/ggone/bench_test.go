package ggone

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkPrice prices all levels of 500 tasks at moving prices: ns an element, and how many times faster than sorting.
func BenchmarkPrice(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 8))
	p := &Problem{Period: 50}
	for range 500 {
		p.Tasks = append(p.Tasks, Task{4 + 8*rng.Float64(), math.Inf(1)})
	}
	class := Class{Machines: 20, ServiceRate: 1, Kappa: 1}
	for range p.Tasks {
		class.Service = append(class.Service, 1+6*rng.Float64())
	}
	p.Classes = append(p.Classes, class)
	c := newCore(context.Background(), p, 0)
	levels := len(c.classes[0].levels)
	u := make([]float64, c.tasks)
	move := func() {
		for y := range u {
			u[y] += 0.01 * rng.NormFloat64()
		}
	}
	elements := float64(levels * c.tasks)
	var sorting float64
	b.Run("method=sorting", func(b *testing.B) {
		values := make([]float64, c.tasks)
		for b.Loop() {
			move()
			for n := range levels {
				c.classes[0].at(c.classes[0].levels[n].wait, values)
				for y := range values {
					values[y] -= u[y]
				}
				slices.Sort(values)
			}
		}
		sorting = float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		b.ReportMetric(sorting/elements, "ns/element")
	})
	b.Run("method=price", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			move()
			for n := range levels {
				c.price(0, n, u)
			}
		}
		took := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
		b.ReportMetric(took/elements, "ns/element")
		b.ReportMetric(sorting/took, "times-faster")
	})
}
