package bench

import (
	"sync"

	"github.com/allot-opt/allot/model"
)

// pace estimates how long the runs of each solver take.
type pace struct{ solvers map[string]*spent }

// spent sums up the times of one solver's runs.
type spent struct {
	sum       float64 // seconds
	runs      int
	remaining int
}

// of returns the times of a solver. It makes a new entry for a new solver.
func (p *pace) of(solver string) *spent {
	if p.solvers == nil {
		p.solvers = map[string]*spent{}
	}
	if p.solvers[solver] == nil {
		p.solvers[solver] = new(spent)
	}
	return p.solvers[solver]
}

// expect counts one more run to come.
func (p *pace) expect(solver string) { p.of(solver).remaining++ }

// finish counts one run less to come.
func (p *pace) finish(solver string) { p.of(solver).remaining-- }

// note records the seconds of a run.
func (p *pace) note(solver string, elapsed float64) {
	s := p.of(solver)
	s.sum += elapsed
	s.runs++
}

// left estimates the seconds that the runs to come take. Each takes the mean time of its solver's earlier runs, or limit if there are none.
func (p *pace) left(limit float64) float64 {
	total := 0.0
	for _, s := range p.solvers {
		each := limit
		if s.runs > 0 {
			each = s.sum / float64(s.runs)
		}
		total += each * float64(s.remaining)
	}
	return total
}

// shelf holds the instances of the cells that run. It makes an instance when it is first needed and drops it after its last cell.
type shelf struct {
	plan  *Plan
	mutex sync.Mutex
	uses  []int // number of cells to come, by instance
	held  map[int]*shelved
}

// shelved is an instance on the shelf. It is made only once.
type shelved struct {
	once sync.Once
	in   *model.Instance
	err  error
}

// take returns the instance at the given index of the plan.
func (s *shelf) take(place int) (*model.Instance, error) {
	s.mutex.Lock()
	held := s.held[place]
	if held == nil {
		held = new(shelved)
		s.held[place] = held
	}
	s.mutex.Unlock()
	held.once.Do(func() { held.in, held.err = s.plan.Instances[place].Load(s.plan.Suite.Objective) })
	return held.in, held.err
}

// expect counts one more use to come.
func (s *shelf) expect(place int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.uses[place]++
}

// putBack drops the instance after its last use.
func (s *shelf) putBack(place int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.uses[place]--; s.uses[place] == 0 {
		delete(s.held, place)
	}
}
