package statistics_test

import (
	"fmt"
	"log"
	"math"

	"github.com/allot-opt/allot/bench/statistics"
)

// Three solvers on eight instances, lower is better; the third failed once. First whether they differ at all, then which.
func Example() {
	costs := [][]float64{
		{10.1, 12.0, 14.2},
		{20.4, 20.9, 25.0},
		{31.0, 33.8, 33.1},
		{7.7, 7.7, 9.3},
		{15.2, 16.1, 19.9},
		{44.0, 47.5, math.Inf(1)},
		{12.9, 12.5, 13.0},
		{28.3, 30.0, 35.6},
	}
	ranks, err := statistics.Friedman(costs)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean ranks %.2f, F = %.1f, p = %.1g\n", ranks.Mean, ranks.F, ranks.PF)

	difference, err := statistics.Nemenyi(ranks.Solvers, ranks.Problems, 0.05)
	if err != nil {
		log.Fatal(err)
	}
	groups, err := statistics.Cliques(ranks.Mean, difference)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("critical difference %.2f, not shown to differ: %v\n", difference, groups)

	solver := func(j int) []float64 {
		column := make([]float64, len(costs))
		for i, row := range costs {
			column[i] = row[j]
		}
		return column
	}
	var tests []statistics.Wilcoxon
	var p []float64
	pairs := [][2]int{{0, 1}, {0, 2}, {1, 2}}
	for _, pair := range pairs {
		test, err := statistics.SignedRank(solver(pair[0]), solver(pair[1]))
		if err != nil {
			log.Fatal(err)
		}
		tests, p = append(tests, test), append(p, test.P)
	}
	adjusted, err := statistics.Holm(p)
	if err != nil {
		log.Fatal(err)
	}
	for i, pair := range pairs {
		fmt.Printf("%d against %d: effect %+.2f (%s), adjusted p = %.3f\n",
			pair[0], pair[1], tests[i].Effect, statistics.MagnitudeOf(tests[i].Effect), adjusted[i])
	}
	// Output:
	// mean ranks [1.19 1.94 2.88], F = 19.7, p = 8e-05
	// critical difference 1.17, not shown to differ: [[0 1] [1 2]]
	// 0 against 1: effect -0.86 (large), adjusted p = 0.047
	// 0 against 2: effect -1.00 (large), adjusted p = 0.023
	// 1 against 2: effect -0.89 (large), adjusted p = 0.047
}
