package place

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is a rule that chooses where jobs go, as a documented value. A file registers it:
//
//	var _ = Register(Rule{Name: "best", Doc: "…", Source: "…", New: func(s *Site, seed uint64) Scorer { return bestFit{} }})
type Rule struct {
	Name   string
	Doc    string // what it prefers, for help and tables
	Source string // authors, year, title, section
	// New makes what scores the machines of a site. The seed is of what it draws at random. nil: every machine is as good as any other, so that the first
	// in the order of the site is chosen.
	New func(s *Site, seed uint64) Scorer
	// Counts says that the rule asks how many blocks of each sort run on a machine, see [Free.Runs].
	Counts bool
}

// Scorer says how well a block lies on a machine.
type Scorer interface {
	// Score scores a block of the kind on a machine on which it fits: the least score is best, and of equal ones the first machine in the order of the
	// site, the fastest first. device is the place, among the devices of the machine, of the one that gives the block its share; −1: the one with the
	// least free share that is enough, of these the first. It must depend on its arguments alone, and on what [Learner] was told: scores are kept.
	Score(f *Free, k *Kind) (score float64, device int)
}

// Drawing is a scorer that draws at random. It is told of each choice before its first score, and its scores are not kept.
type Drawing interface {
	Scorer
	Draw()
}

// Learner is a scorer that looks at the blocks that jobs need. It is told of them as they become known, see [Site.Expect].
type Learner interface {
	Scorer
	Learn(blocks []Typical)
}

// Typical is a kind of block with the number of jobs that need it.
type Typical struct {
	Kind *Kind
	Jobs int
}

var rules []Rule

// Register adds a rule. A name that is taken is a bug in the program and panics.
func Register(r Rule) Rule {
	if _, err := Lookup(r.Name); err == nil || r.Name == "" {
		panic(fmt.Sprintf("place: rule %q is registered twice", r.Name))
	}
	rules = append(rules, r)
	slices.SortFunc(rules, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return r
}

// Rules are the rules that are registered, by name.
func Rules() []Rule { return slices.Clone(rules) }

// Lookup finds a rule by its name. The error says which there are.
func Lookup(name string) (Rule, error) {
	names := make([]string, len(rules))
	for k, r := range rules {
		if r.Name == name {
			return r, nil
		}
		names[k] = r.Name
	}
	return Rule{}, fmt.Errorf("place: expected one of the rules %s; found %q", strings.Join(names, ", "), name)
}

// workload counts the jobs of each kind that are known.
type workload struct {
	jobs  []int // by kind
	known int
	told  int // the number of jobs when the scorer was last told
}

// Expect tells the rule of a job that needs room now or later. The rule learns of the jobs when their number has grown by an eighth since it last did, so
// that kept scores serve for a while.
func (s *Site) Expect(job int) {
	learner, ok := s.scorer.(Learner)
	if !ok {
		return
	}
	k := s.Kind(job)
	for len(s.typical.jobs) <= k.Number {
		s.typical.jobs = append(s.typical.jobs, 0)
	}
	s.typical.jobs[k.Number]++
	if s.typical.known++; s.typical.known >= s.typical.told+max(1, s.typical.told/8) {
		s.learn(learner)
	}
}

// ExpectAll tells the rule of all jobs of the instance at once.
func (s *Site) ExpectAll() {
	learner, ok := s.scorer.(Learner)
	if !ok {
		return
	}
	s.typical = workload{}
	for job := range s.in.Jobs() {
		s.Kind(job)
	}
	s.typical.jobs = make([]int, len(s.kinds))
	for _, k := range s.byJob {
		s.typical.jobs[k.Number]++
	}
	s.typical.known = len(s.byJob)
	s.learn(learner)
}

// learn tells the rule of the jobs that are known, and forgets the scores.
func (s *Site) learn(learner Learner) {
	s.typical.told = s.typical.known
	blocks := make([]Typical, 0, len(s.typical.jobs))
	for k, jobs := range s.typical.jobs {
		if jobs > 0 {
			blocks = append(blocks, Typical{s.kinds[k], jobs})
		}
	}
	learner.Learn(blocks)
	for _, k := range s.kinds {
		clear(k.seen)
	}
}
