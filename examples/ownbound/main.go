// Command ownbound shows how a program adds a lower bound to allot. It registers a bound of the metric cost, beside that of allot, solves an
// instance, and prints what is proved:
//
//	go run ./examples/ownbound examples/small-grid.json
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// After registration every proof uses the method: solve.Run does, and solvers that need a bound do. Reports name it.
var _ = bound.Register(bound.Method{
	Name:   "my-cheapest-cluster",
	Metric: "cost",
	Doc:    "each job holds its least processor time on the cluster where that is cheapest",
	Source: "elementary",
	New:    bound.Once(cheapest), // a method that improves over time implements bound.Prover instead
})

// cheapest adds up the least costs of the jobs that every schedule has to place. The sum records the size of its rounding error; package bound
// subtracts the error before it states the bound.
func cheapest(ctx context.Context, r *bound.Relaxation) (sum bound.Sum, ok bool) {
	areas, ok := r.Areas(ctx)
	if !ok {
		return sum, false // the time is over
	}
	clusters := r.Instance().Clusters()
	for k := range r.MustPlace() {
		least := math.Inf(1)
		for c := range clusters {
			if rate := cheapestRate(&clusters[c]); !math.IsInf(areas[k][c], 1) { // an infinite area: the job cannot run there
				least = min(least, rate*areas[k][c])
			}
		}
		sum.Add(least)
	}
	return sum, true
}

// cheapestRate returns the least cost of a processor of the cluster per unit of time.
func cheapestRate(c *model.Cluster) float64 {
	rate := math.Inf(1)
	for _, m := range c.Machines {
		rate = min(rate, m.Cost)
	}
	return rate
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: ownbound INSTANCE")
	}
	if err := show(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// show minimises the cost of an instance and prints what is proved, and by which method.
func show(file string) error {
	in, err := model.ReadInstanceFile(file)
	if err != nil {
		return err
	}
	if in, err = in.WithObjective(map[string]float64{"cost": 1}); err != nil {
		return err
	}
	search, err := solve.Choose("search")
	if err != nil {
		return err
	}
	result, err := solve.Run(context.Background(), search, in, solve.Options{Seed: 1, MaxEvals: 2000})
	if err != nil {
		return err
	}
	fmt.Printf("cost %.2f, bound %.2f: %s\n", *result.Solution.Objective, result.Solution.Bound.Or(math.Inf(-1)), result.Solution.Status)
	proof := bound.New(context.Background(), in)
	proof.Improve(context.Background(), bound.LittleWork)
	for _, part := range proof.Parts() {
		fmt.Printf("%s: %s proves %.2f\n", part.Metric, part.Method, part.Value)
	}
	return nil
}
