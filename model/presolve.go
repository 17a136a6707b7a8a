package model

// Use says who asks for a reduced instance, see [Reduce]. The bits may be combined.
type Use uint8

const (
	// OnLine: an on-line policy, which knows the system and the estimates of jobs. Rules that look at true run times, and those that need the whole batch, do not apply.
	OnLine Use = 1 << iota
	// Scoring: a placement rule other than the first, which scores machines by what they have. Rules that change what machines have do not apply.
	Scoring
)

// Reduction maps schedules between an instance and the reduced one that [Reduce] made of it. The zero value is that of an instance that is not reduced.
type Reduction struct{}

// Reduce leaves out of an instance what cannot bind: every schedule that the checker allows of either is, by [Reduction.Restore], allowed of the other, with the same
// values of all metrics asked for. Where no rule applies it returns the instance itself.
func Reduce(in *Instance, use Use) (*Instance, *Reduction) { return in, &Reduction{} }

// Restore maps a schedule of the reduced instance to one of the original.
func (r *Reduction) Restore(sol *Solution) *Solution { return sol }

// Carry maps a schedule of the original to one of the reduced instance.
func (r *Reduction) Carry(sol *Solution) *Solution { return sol }

// Keeps says that solutions of the two instances are the same, so that Restore and Carry return what they get: no rule renamed machines.
func (r *Reduction) Keeps() bool { return true }

// String lists the rules that applied, a line each with counts; empty: none.
func (r *Reduction) String() string { return "" }
