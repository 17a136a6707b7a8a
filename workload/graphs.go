package workload

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// graphFiles are the shapes of workflows.
//
//go:embed graphs/*.json
var graphFiles embed.FS

// graph is the shape of a workflow: tasks, and what follows each of them.
type graph struct {
	Doc   string      `json:"doc"`
	Tasks []graphTask `json:"tasks"` // each stands before those that follow it, the first is where the workflow begins
}

// graphTask is a task of a graph. What follows it is all of Then, or one of Either.
type graphTask struct {
	ID     string        `json:"id"`
	Doc    string        `json:"doc,omitempty"`
	Then   []string      `json:"then,omitempty"`
	Either []graphBranch `json:"either,omitempty"`

	next []int // all that may follow
}

// graphBranch is one way on from a task.
type graphBranch struct {
	Task        string  `json:"task"`
	Probability float64 `json:"probability"`
}

// graphNamed reads a graph of the package; a fault in its file is a fault of the package.
var graphNamed = func() func(string) *graph {
	var mutex sync.Mutex
	known := map[string]*graph{}
	return func(name string) *graph {
		mutex.Lock()
		defer mutex.Unlock()
		if known[name] == nil {
			text, err := graphFiles.ReadFile("graphs/" + name + ".json")
			if err == nil {
				known[name], err = parseGraph(text)
			}
			if err != nil {
				panic(fmt.Sprintf("workload: graph %s: %v", name, err))
			}
		}
		return known[name]
	}
}()

// parseGraph reads a graph and checks it.
func parseGraph(text []byte) (*graph, error) {
	var g graph
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, err
	}
	index := map[string]int{}
	for k := range g.Tasks {
		if _, twice := index[g.Tasks[k].ID]; twice || g.Tasks[k].ID == "" {
			return nil, fmt.Errorf("expected a name of its own for task %d", k)
		}
		index[g.Tasks[k].ID] = k
	}
	for k := range g.Tasks {
		t := &g.Tasks[k]
		names, sum := slices.Clone(t.Then), 0.0
		for _, branch := range t.Either {
			names, sum = append(names, branch.Task), sum+branch.Probability
		}
		if len(t.Either) > 0 && (len(t.Then) > 0 || math.Abs(sum-1) > 1e-12) {
			return nil, fmt.Errorf("expected branches of task %s whose probabilities add up to 1, and nothing that always follows", t.ID)
		}
		for _, name := range names {
			at, ok := index[name]
			if !ok || at <= k {
				return nil, fmt.Errorf("expected a later task behind task %s, found %q", t.ID, name)
			}
			t.next = append(t.next, at)
		}
	}
	return &g, nil
}

// draw takes one branch at each parting of the ways. It returns, by task, the tasks that it follows, and whether the workflow comes to it.
func (g *graph) draw(rng *rand.Rand) (after [][]int, taken []bool) {
	after, taken = make([][]int, len(g.Tasks)), make([]bool, len(g.Tasks))
	taken[0] = true
	for k := range g.Tasks {
		t := &g.Tasks[k]
		first, last := 0, len(t.next)
		if len(t.Either) > 0 {
			u := rng.Float64() // drawn for each task, so that the branches of one do not depend on those of another
			for last = 1; last < len(t.next) && u >= t.Either[last-1].Probability; last++ {
				u -= t.Either[last-1].Probability
			}
			first = last - 1
		}
		if !taken[k] {
			continue
		}
		for _, next := range t.next[first:last] {
			taken[next] = true
			after[next] = append(after[next], k)
		}
	}
	return after, taken
}
