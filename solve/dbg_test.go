package solve_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

func TestDbg(t *testing.T) {
	for _, seed := range []uint64{36, 395, 1065} {
		in, n := randomGGOne(t, seed, false)
		v, _ := model.Queues(in, nil)
		fmt.Println(seed, len(in.Jobs()), n, in.Queueing(), enumerated(t, in, n))
		for _, m := range v.Machines {
			fmt.Printf("%+v\n", m)
		}
		r := runGGOne(t, in, &solve.GGOne{}, solve.Options{})
		fmt.Println(r.Reason)
		if r.Solution != nil {
			fmt.Println(r.Solution.Loads)
		}
	}
}
