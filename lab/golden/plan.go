package golden

import (
	"context"
	"slices"

	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// planned is the plan of conservative backfilling after its decision at a time.
type planned struct {
	known    bool            // the plan is that of the reference schedule
	valid    bool            // the reservations hold: no running job has outlived its estimate at the time
	reserved map[int]float64 // by queued job: its reservation
	order    []int           // the queued jobs, in order
	moves    []move          // of the reservation of the job of the scene
	instants []float64       // at which there were decisions
}

// move is a change of a reservation.
type move struct {
	when, to float64
	afresh   bool // some job had outlived its estimate, so that the whole plan was made again
	early    bool // else: some job ended before its estimate
}

// times are the times in [from, to) at which a reservation begins, after from itself.
func (p *planned) times(from, to float64) []float64 {
	list := []float64{from}
	for _, k := range p.order {
		if r := p.reserved[k]; from < r && r < to {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return list
}

// plan runs conservative backfilling and looks at its plan at the time of the scene.
func (s *scene) plan(ctx context.Context) (*planned, error) {
	w := &planWatch{scene: s, queued: map[int]*sim.Job{}, running: map[int]float64{}, plan: &planned{known: true}}
	_, _, err := sim.Simulate(ctx, s.w.fitting, backfill.Conservative(1, backfill.Ranking{}), sim.Options{Observer: w})
	return w.plan, err
}

// planWatch observes a run of conservative backfilling.
type planWatch struct {
	scene   *scene
	planner sim.Reserver
	queued  map[int]*sim.Job
	running map[int]float64 // starts
	plan    *planned
	early   bool // a job ended before its estimate at this instant
	overrun bool // a job ended after its estimate at this instant
}

// Watch implements [sim.Watcher].
func (w *planWatch) Watch(_ *sim.Platform, policy sim.Policy) {
	w.planner, _ = policy.(sim.Reserver)
	w.plan.known = w.planner != nil
}

// Arrived implements [sim.Observer].
func (w *planWatch) Arrived(_ float64, j *sim.Job) { w.queued[w.scene.w.fits[j.Number]] = j }

// Started implements [sim.Observer].
func (w *planWatch) Started(now float64, j *sim.Job, _ []sim.Part) {
	k := w.scene.w.fits[j.Number]
	w.running[k] = now
	if delete(w.queued, k); now > w.scene.at {
		return
	}
	if w.scene.reference[k].Start != now {
		w.plan.known = false
	}
	if k == w.scene.job {
		w.note(now, now)
	}
}

// Left implements [sim.Observer].
func (w *planWatch) Left(now float64, j *sim.Job, _ sim.Outcome, _ string) {
	k := w.scene.w.fits[j.Number]
	delete(w.queued, k)
	start, ran := w.running[k]
	delete(w.running, k)
	if planned := start + max(w.scene.w.Jobs[k].Estimate, 1); ran {
		w.early, w.overrun = w.early || now < planned, w.overrun || now > planned
	}
}

// note notes the reservation of the job of the scene.
func (w *planWatch) note(now, reserved float64) {
	moves := w.plan.moves
	if len(moves) == 0 || moves[len(moves)-1].to != reserved {
		w.plan.moves = append(moves, move{now, reserved, w.afresh(now), w.early})
	}
}

// afresh says whether all reservations are made again: a job has outlived its estimate.
func (w *planWatch) afresh(now float64) bool {
	for k, start := range w.running {
		if estimate := w.scene.w.Jobs[k].Estimate; estimate > 0 && start+estimate <= now {
			return true
		}
	}
	return w.overrun
}

// Decided implements [sim.Observer].
func (w *planWatch) Decided(now float64) {
	defer func() { w.early, w.overrun = false, false }()
	if w.planner == nil || now > w.scene.at {
		return
	}
	w.plan.instants = append(w.plan.instants, now)
	w.plan.valid = !w.afresh(now)
	w.plan.reserved, w.plan.order = map[int]float64{}, w.plan.order[:0]
	for k, j := range w.queued {
		w.plan.reserved[k] = w.planner.Reserved(j)
		w.plan.order = append(w.plan.order, k)
	}
	slices.Sort(w.plan.order)
	if j, waits := w.queued[w.scene.job]; waits {
		w.note(now, w.planner.Reserved(j))
	}
}
