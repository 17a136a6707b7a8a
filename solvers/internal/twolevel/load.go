package twolevel

import (
	"cmp"
	"slices"
)

// loads is the load of the jobs in the queue of a cluster, by their priority.
type loads struct{ levels []level } // the highest priority first

// level is the queued jobs of one priority.
type level struct {
	priority float64
	load     float64
	jobs     int
}

// find is the place of a priority and whether a level is there.
func (l *loads) find(priority float64) (int, bool) {
	return slices.BinarySearchFunc(l.levels, priority, func(a level, b float64) int { return cmp.Compare(b, a.priority) })
}

// add adds a job.
func (l *loads) add(priority, load float64) {
	at, ok := l.find(priority)
	if !ok {
		l.levels = slices.Insert(l.levels, at, level{priority: priority})
	}
	l.levels[at].load += load
	l.levels[at].jobs++
}

// remove takes a job out. A level without jobs leaves no rounding errors behind.
func (l *loads) remove(priority, load float64) {
	at, _ := l.find(priority)
	l.levels[at].load -= load
	l.levels[at].jobs--
	if l.levels[at].jobs == 0 {
		l.levels = slices.Delete(l.levels, at, at+1)
	}
}

// from is the load and the number of the jobs of at least the priority.
func (l *loads) from(priority float64) (load float64, jobs int) {
	for _, k := range l.levels {
		if k.priority < priority {
			break
		}
		load, jobs = load+k.load, jobs+k.jobs
	}
	return load, jobs
}

// rule says which rule chose a cluster.
type rule int

// The rules.
const (
	onlyCluster rule = iota // no other cluster can run the job
	idleCluster             // no load of this priority or more
	leastLoad
	leastJobs
	drawnCluster
)

// candidate is a cluster that can run a job, with the queued jobs there of at least its priority.
type candidate struct {
	cluster int
	load    float64
	jobs    int
}

// dispatch chooses one of the candidates, of which there is at least one, and says by which rule. It draws from equal ones.
func dispatch(candidates []candidate, draw func(n int) int) (int, rule) {
	if len(candidates) == 1 {
		return 0, onlyCluster
	}
	for k, c := range candidates {
		if c.load == 0 {
			return k, idleCluster
		}
	}
	best := []int{0}
	chosen := leastLoad
	for k := 1; k < len(candidates); k++ {
		switch a, b := candidates[k], candidates[best[0]]; cmp.Or(cmp.Compare(a.load, b.load), cmp.Compare(a.jobs, b.jobs)) {
		case -1:
			best = append(best[:0], k)
		case 0:
			best = append(best, k)
		}
	}
	for k, c := range candidates {
		if k != best[0] && c.load == candidates[best[0]].load {
			chosen = leastJobs
		}
	}
	if len(best) == 1 {
		return best[0], chosen
	}
	return best[draw(len(best))], drawnCluster
}
