package proof_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// Both checkers say the same of sets of jobs that exclude each other: at random prices in random intervals, whatever number of jobs is said to be owed.
func TestSetsOfJobsThatExcludeEachOther(t *testing.T) {
	race.OneGoroutine(t)
	c := corpus{t: t, folder: t.TempDir()}
	for k := range race.Fewer(250, 25) {
		r := draw{rand.New(rand.NewPCG(uint64(k), 58))}
		many := 1 + r.IntN(2)
		machine := object{"id": "m", "processors": many, "speed": []float64{1, 1, 1, 2}[r.IntN(4)]}
		if r.chance(0.7) {
			machine["memory"] = 4
		}
		cluster := object{"id": "c", "machines": []object{machine}}
		if r.chance(0.2) {
			cluster["machines"] = []object{machine, {"id": "n", "speed": 3}}
		}
		var jobs []object
		n := 4 + r.IntN(3)
		first := []float64{0, 1.7e9}[r.IntN(2)]
		due := first + float64(3+r.IntN(2))
		for j := range n {
			job := object{"id": fmt.Sprint("j", j), "work": 2 + r.IntN(3)/2, "arrival": first + float64(r.IntN(2)), "deadline": due + float64(r.IntN(2)), "deadline_hard": !r.chance(0.03), "memory": r.IntN(3)}
			switch r.IntN(4) {
			case 0:
				job["processors"] = many
			case 1:
				job["processors"], job["tasks"] = object{"min": 1, "max": many}, 2
			}
			jobs = append(jobs, job)
		}
		path, in := c.instance(object{"schema": "allot/instance/1", "name": "sets", "objective": object{"makespan": 1}, "clusters": []object{cluster}, "jobs": jobs})
		if in == nil {
			t.Fatalf("instance %d cannot be read", k)
		}
		for range 3 {
			price := object{"processor": 1 / []float64{2, 3, 4, 7}[r.IntN(4)], "memory": []float64{0, 0, 0.05}[r.IntN(3)]}
			groups := []object{price}
			if len(in.Clusters()[0].Machines) > 1 {
				groups = append(groups, object{"processor": []float64{0, 0.1, 0.5}[r.IntN(3)]})
			}
			var set []int
			for j := range n {
				if !r.chance(0.05) {
					set = append(set, j)
				}
			}
			from := []float64{0, 0, 0, 0, 1, 2}[r.IntN(6)]
			by := object{"groups": [][]object{groups}, "from": from, "to": []float64{due - first + 1e-5, due - first + 1 + 1e-5, due - first + 1 + 1e-5, due - first, due - first + 30, from - 1}[r.IntN(6)]}
			for owed := range 4 {
				c.certificate(path, in, object{"schema": "allot/proof/1", "instance_sha256": in.SHA256(), "objective": object{"makespan": 1}, "bound": 0, "owed": owed,
					"owed_by": []object{{"jobs": set, "by": by}}}, nil, fmt.Sprint("owed ", owed))
			}
		}
	}
	enough(t, second(t, c.tasks), 5, "owed 1 verified", "owed 2 verified", "owed 3 verified", "owed 0 not certified", "owed 1 refuted", "owed 3 refuted")
}
