package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/allot-opt/allot/model"
)

// kind is a family of instances of any number of jobs.
type kind struct {
	name     string
	more     string                             // members of the instance
	bounds   bool                               // only for methods of bounds
	clusters string                             // as JSON
	job      func(rng *rand.Rand, k int) string // the members of job k, apart from its id
}

// one, four and named are a cluster of 64 processors, four of unequal speed, and one whose machines are named one by one.
var (
	one  = `{"id": "c", "machines": [{"id": "m", "processors": 64}]}`
	four = several(4, func(k int) string {
		return fmt.Sprintf(`{"id": "c%d", "machines": [{"id": "m", "processors": %d, "speed": %d}]}`, k, 48+16*(k%2), 1+k)
	})
	named = `{"id": "c", "machines": [` + several(48, func(k int) string { return fmt.Sprintf(`{"id": "m%d", "processors": %d}`, k, 8<<(k%3)) }) + `]}`
)

// several is a list of elements.
func several(n int, element func(k int) string) string {
	list := make([]string, n)
	for k := range list {
		list[k] = element(k)
	}
	return strings.Join(list, ", ")
}

// rigid is a job that needs 1 to 16 processors.
func rigid(rng *rand.Rand, _ int) string {
	return fmt.Sprintf(`"work": %d, "processors": %d`, 1+rng.IntN(1000), 1<<rng.IntN(5))
}

// kinds are what work is counted on. Each is of a shape on which some algorithm takes longest.
var kinds = []kind{
	{name: "one processor, equal jobs", clusters: `{"id": "c", "machines": [{"id": "m"}]}`, job: func(*rand.Rand, int) string { return `"work": 1` }},
	{name: "machines by name", clusters: named, job: rigid},
	{name: "arrivals", clusters: one, job: func(rng *rand.Rand, k int) string {
		return fmt.Sprintf(`"arrival": %d, %s`, 33*k+rng.IntN(400), rigid(rng, k))
	}},
	{name: "deadlines", clusters: four, job: func(rng *rand.Rand, k int) string {
		return fmt.Sprintf(`"arrival": %d, "deadline": %d, %s`, 10*k, 10*k+1000+rng.IntN(9000), rigid(rng, k))
	}},
	{name: "chains", clusters: four, job: func(rng *rand.Rand, k int) string {
		if k%5 == 0 {
			return rigid(rng, k)
		}
		return fmt.Sprintf(`"after": ["j%d"], %s`, k-1, rigid(rng, k))
	}},
	{name: "moldable", clusters: one, job: func(rng *rand.Rand, _ int) string {
		return fmt.Sprintf(`"work": %d, "processors": {"min": 1, "max": %d}`, 1+rng.IntN(1000), 1<<rng.IntN(5))
	}},
	{name: "resources", bounds: true, more: `"licences": {"l": 12}, `,
		clusters: `{"id": "c", "machines": [{"id": "m", "count": 8, "processors": 8, "memory": 64}, {"id": "n", "count": 4, "processors": 4, "memory": 32}]}`,
		job: func(rng *rand.Rand, k int) string {
			return fmt.Sprintf(`"work": %d, "processors": %d, "memory": %d, "licences": {"l": 1}, "deadline": %d, "deadline_hard": %v`, 1+rng.IntN(1000), 1+rng.IntN(4), 1+rng.IntN(8), 2000+20*k, k%2 == 0)
		}},
	{name: "power", bounds: true, more: `"horizon": {"to": 1e7}, "tariff": {"price": [[0, 2], [40000, 1], [90000, 3]], "carbon": [[0, 1], [70000, 2]], "per": 3600}, `,
		clusters: `{"id": "c", "machines": [{"id": "m", "count": 16, "processors": 4, "power": {"idle": 90, "busy": 30}}]}`, job: rigid},
}

// instance is one of the kind, with n jobs.
func (k *kind) instance(n int) (*model.Instance, error) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	jobs := several(n, func(j int) string { return fmt.Sprintf(`{"id": "j%d", %s}`, j, k.job(rng, j)) })
	text := fmt.Sprintf(`{"schema": "allot/instance/1", %s"clusters": [%s], "jobs": [%s]}`, k.more, k.clusters, jobs)
	return model.ReadInstance(strings.NewReader(text), k.name)
}
