package packing

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// walk is one schedule that is annealed (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, 1983, Optimization by simulated annealing, Science 220(4598),
// doi:10.1126/science.220.4598.671), again and again. Its parts change different machines of it; every round deals the machines anew.
type walk struct {
	*state
	rng    *rand.Rand
	parts  []*part
	left   []int32 // by kind: jobs that are not placed, when the round began
	copies []int64 // by pool: those that no job holds, when the round began
	owner  []int32 // by machine: its part
	deck   []int32 // all machines

	// By machine: whether it has changed since its part was best in this round, and what lay on it then.
	changed []bool
	old     [][]entry

	made, stage int64     // moves of the annealing under way: so far, and in all
	next        []int64   // moves of those to come; the last is repeated
	best        float64   // by how much the objective of the best schedule is below that of the schedule that places nothing
	kept        [][]entry // by machine: that schedule
	complete    bool      // it places every job that is worth something
}

// Temperatures, in mean worths of a job, and lengths of annealings.
const (
	hot        = 0.06
	cold       = 0.003
	stageRatio = 5   // moves of a run up to the end of an annealing, per move up to its begin
	stageLeast = 100 // moves for each machine in the shortest annealing
)

// newWalk starts a walk. Its first schedule is filled machine by machine, or is the start with what else there is room for, whichever is better. It
// returns nil if ctx ends.
func newWalk(ctx context.Context, p *problem, start *model.Solution, parts int, seed, stream uint64) *walk {
	n := len(p.machines)
	w := &walk{state: newState(p), rng: rand.New(rand.NewPCG(seed, stream<<8)), owner: make([]int32, n), changed: make([]bool, n), old: make([][]entry, n), kept: make([][]entry, n)}
	for k := range parts {
		w.parts = append(w.parts, &part{walk: w, id: int32(k), rng: rand.New(rand.NewPCG(seed, stream<<8+uint64(k)+1))})
	}
	for m := range p.machines {
		w.deck = append(w.deck, int32(m))
	}
	w.best = math.Inf(-1)
	w.left, w.copies = w.counted(w.entries)
	if !w.fill(ctx) {
		return nil
	}
	w.keep()
	if len(start.Jobs) > 0 {
		w.clear()
		w.read(start)
		if w.left, w.copies = w.counted(w.entries); !w.fill(ctx) {
			return nil
		}
		w.keep()
	}
	w.plan(0)
	w.load(w.kept)
	w.deal()
	return w
}

// clear takes everything off the machines.
func (w *walk) clear() {
	for m := range w.entries {
		for i := len(w.entries[m]) - 1; i >= 0; i-- {
			w.lift(int32(m), i)
		}
	}
}

// load puts the jobs of a schedule onto the machines, and no others.
func (w *walk) load(schedule [][]entry) {
	w.clear()
	for m, entries := range schedule {
		for _, e := range entries {
			w.put(int32(m), e)
		}
	}
	w.left, w.copies = w.counted(w.entries)
}

// begin starts the next annealing from the best schedule of a walk.
func (w *walk) begin(from *walk) {
	w.load(from.kept)
	w.made, w.stage = 0, w.next[0]
	if len(w.next) > 1 {
		w.next = w.next[1:]
	}
}

// counted is, by kind, the number of jobs that a schedule does not place, and by pool that of the copies that no job holds.
func (w *walk) counted(schedule [][]entry) (left []int32, copies []int64) {
	left, copies = make([]int32, len(w.kinds)), append([]int64(nil), w.pools...)
	for k := range w.kinds {
		left[k] = int32(len(w.kinds[k].jobs))
	}
	for m, entries := range schedule {
		for i := range entries {
			if e := &entries[i]; e.leads(int32(m)) {
				left[e.kind]--
				for _, d := range w.draws(e.kind, int32(m)) {
					copies[d.pool] -= d.copies
				}
			}
		}
	}
	return left, copies
}

// leads says that the entry, which lies on the machine, stands for its job: one entry of each job does.
func (e *entry) leads(m int32) bool { return e.gang == nil || e.gang.machines[0] == m }

// draws are the copies that a job of the kind draws on the cluster of the machine.
func (p *problem) draws(k, m int32) []draw {
	if licences := p.kinds[k].licences; licences != nil {
		return licences[p.variety(m).cluster]
	}
	return nil
}

// value is by how much the objective is below that of the schedule that places nothing, by the numbers of jobs that are not placed.
func (p *problem) value(left []int32) float64 {
	sum := 0.0
	for k := range p.kinds {
		d := &p.kinds[k]
		sum += d.worth * float64(int32(len(d.jobs))-left[k])
	}
	return sum
}

// keep makes the schedule in which each part was at its best in this round the kept one, if it is better.
func (w *walk) keep() {
	schedule := make([][]entry, len(w.entries))
	for m := range schedule {
		if schedule[m] = w.entries[m]; w.changed[m] {
			schedule[m] = w.old[m]
		}
	}
	left, _ := w.counted(schedule)
	value := w.value(left)
	if value <= w.best {
		return
	}
	w.best, w.complete = value, true
	for k, n := range left {
		w.complete = w.complete && (n == 0 || w.kinds[k].worth == 0)
	}
	for m, entries := range schedule {
		w.kept[m] = append(w.kept[m][:0], entries...)
	}
}

// gather ends a round: it keeps the schedule if it is the best, and collects from the parts the jobs and copies that they have not used.
func (w *walk) gather() {
	value, moved := w.value(w.left), false
	for _, p := range w.parts {
		value += p.best
		moved = moved || p.moves > 0
	}
	if !moved {
		return
	}
	if value > w.best {
		w.keep()
	}
	clear(w.left)
	clear(w.copies)
	for _, p := range w.parts {
		w.made += p.moves
		for k, n := range p.left {
			w.left[k] += n
		}
		for k, n := range p.copies {
			w.copies[k] += n
		}
	}
}

// deal deals the machines, the jobs that are not placed and the copies that no job holds to the parts. The machines of a gang go to one part where that
// is possible. A gang whose machines belong to several parts stays where it is.
func (w *walk) deal() {
	w.rng.Shuffle(len(w.deck), func(i, j int) { w.deck[i], w.deck[j] = w.deck[j], w.deck[i] })
	for m := range w.owner {
		w.owner[m], w.changed[m] = -1, false
	}
	for _, p := range w.parts {
		p.begin(len(w.kinds), len(w.copies))
	}
	give := func(m int32, p *part) {
		if w.owner[m] < 0 {
			w.owner[m] = p.id
			p.machines = append(p.machines, m)
		}
	}
	for _, m := range w.deck {
		p := w.poorest()
		if w.owner[m] >= 0 {
			p = w.parts[w.owner[m]]
		}
		give(m, p)
		for i := range w.entries[m] {
			if g := w.entries[m][i].gang; g != nil {
				for _, other := range g.machines {
					give(other, p)
				}
			}
		}
	}
	share := func(n int64, give func(p *part, n int64)) {
		parts := int64(len(w.parts))
		first := w.rng.Int64N(parts)
		for k, p := range w.parts {
			mine := n / parts
			if (int64(k)+first)%parts < n%parts {
				mine++
			}
			give(p, mine)
		}
	}
	for k, n := range w.left {
		share(int64(n), func(p *part, n int64) { p.left[k] = int32(n) })
	}
	for k, n := range w.copies {
		share(n, func(p *part, n int64) { p.copies[k] = n })
	}
}

// poorest is the part with the fewest machines, the first of such.
func (w *walk) poorest() *part {
	p := w.parts[0]
	for _, q := range w.parts[1:] {
		if len(q.machines) < len(p.machines) {
			p = q
		}
	}
	return p
}

// plan divides the moves of a run into annealings. With each, stageRatio times as many moves are done as before it began: a run that is stopped early has
// completed annealings of a good part of its length. A run that goes on beyond the last one repeats it. 0 moves: the length of the run is not known.
func (w *walk) plan(moves int64) {
	least := int64(stageLeast * len(w.machines))
	w.next = nil
	if moves == 0 {
		for k, stage := 0, least; k < 8; k, stage = k+1, stage*stageRatio {
			w.next = append(w.next, stage)
		}
	} else {
		for ; moves/stageRatio >= least; moves /= stageRatio {
			w.next = append([]int64{moves - moves/stageRatio}, w.next...)
		}
		w.next = append([]int64{max(1, moves)}, w.next...)
	}
	if w.stage = w.next[0]; len(w.next) > 1 {
		w.next = w.next[1:]
	}
}

// temperature is the temperature of the annealing after the given number of its moves. It falls from hot to cold by equal ratios.
func (w *walk) temperature(moves int64) float64 {
	done := min(1, float64(moves)/float64(w.stage))
	return w.mean * hot * math.Pow(cold/hot, done)
}

// fill fills the machines one by one from the jobs that are not placed, in the order of their worth.
func (w *walk) fill(ctx context.Context) bool {
	w.deal()
	p := w.parts[0]
	for m := range w.owner {
		w.owner[m] = 0
	}
	p.machines, p.left, p.copies = w.deck, w.left, w.copies
	for m := range w.machines {
		if m%16 == 0 && ctx.Err() != nil {
			return false
		}
		p.set = append(p.set[:0], int32(m))
		for gain := math.Inf(1); gain > 0; {
			p.forget()
			gain = p.refill(0, 0)
		}
	}
	p.forget()
	p.machines, p.left, p.copies = nil, nil, nil
	return true
}
