package sim

import (
	"math"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// localJobs are the local jobs of all processors with background load. They depend on the seed and on the processor alone, so that all
// policies meet the same.
type localJobs struct {
	seed       uint64
	processors map[[2]int]*localQueue // by cluster and processor
}

// of is the local jobs of a processor.
func (l *localJobs) of(cluster, processor int, load *model.Background) *localQueue {
	key := [2]int{cluster, processor}
	q := l.processors[key]
	if q == nil {
		q = newLocalQueue(l.seed, uint64(cluster)<<32|uint64(processor), load)
		l.processors[key] = q
	}
	return q
}

// localQueue is the local jobs of one processor: Poisson arrivals, exponential times, first come, first served. While one runs beside a
// part of a job, each gets half of the processor. Only their unfinished work matters to the part.
//
// Time is cut into epochs, each with random numbers of its own, so that a long time without a part need not be gone through.
type localQueue struct {
	seed, stream uint64
	load, mean   float64 // part of the processor's time that local jobs ask for; mean time of one
	unit         float64 // mean time between two of them

	now     float64 // the state is that of this time
	backlog float64 // unfinished work of local jobs, in time of the whole processor
	next    float64 // arrival of the next local job
	epoch   float64
	rng     *rand.Rand
}

const (
	epochLength = 1024 // in units
	// idleEpochs is the number of epochs before the present one that are gone through; before them the unfinished work falls by the mean.
	idleEpochs = 8
	// lastEpoch is the epoch from which on no local job is drawn: the times are too large to tell two of them apart.
	lastEpoch = 1 << 40
	// longPart is the length of a part, in units, beyond which local jobs slow it by their mean.
	longPart = 1 << 17
)

// newLocalQueue is the local jobs of a processor from time 0 on.
func newLocalQueue(seed, stream uint64, load *model.Background) *localQueue {
	q := &localQueue{seed: seed, stream: stream, load: load.Load, mean: load.Mean, unit: min(max(load.Mean/load.Load, 1e-300), 1e300)}
	q.begin(0)
	return q
}

// begin begins an epoch: no arrival before it is left to come.
func (q *localQueue) begin(epoch float64) {
	q.epoch = epoch
	q.rng = rand.New(rand.NewPCG(q.seed^q.stream*0x9e3779b97f4a7c15, math.Float64bits(epoch)))
	q.next = q.start(epoch) + q.gap()
}

// start is the time at which an epoch begins.
func (q *localQueue) start(epoch float64) float64 { return epoch * epochLength * q.unit }

// gap draws the time to the next arrival.
func (q *localQueue) gap() float64 { return q.rng.ExpFloat64() * q.unit }

// arrival is when the next local job arrives; the epochs up to it have begun.
func (q *localQueue) arrival() float64 {
	for q.epoch < lastEpoch && q.next >= q.start(q.epoch+1) {
		q.begin(q.epoch + 1)
	}
	if q.epoch >= lastEpoch {
		return math.Inf(1)
	}
	return q.next
}

// arrive returns the work of the local job that arrives next.
func (q *localQueue) arrive() float64 {
	work := q.rng.ExpFloat64() * q.mean
	q.next += q.gap()
	return work
}

// jump goes to an epoch, if it is later than the present one. Until then the unfinished work changes by the mean: it grows by the part of the
// processor's time that local jobs ask for and falls by the rate at which they are served.
func (q *localQueue) jump(epoch, rate float64) {
	if epoch = min(epoch, lastEpoch); epoch <= q.epoch {
		return
	}
	q.begin(epoch)
	to := max(q.now, q.start(epoch))
	q.backlog = max(0, q.backlog+(q.load-rate)*(to-q.now))
	q.now = to
}

// idle goes to the given time without a part on the processor.
func (q *localQueue) idle(to float64) {
	q.jump(math.Floor(q.epochOf(to))-idleEpochs, 1)
	for q.arrival() <= to {
		q.wait(q.next)
		q.backlog += q.arrive()
	}
	q.wait(to)
}

// wait serves local jobs alone until the given time.
func (q *localQueue) wait(to float64) {
	q.backlog = max(0, q.backlog-max(0, to-q.now))
	q.now = max(q.now, to)
}

// epochOf is the epoch of a time, with a fraction.
func (q *localQueue) epochOf(t float64) float64 { return t / (epochLength * q.unit) }

// stretch is the time at which a part ends that starts at the given time and would take so long on the processor alone. If it has not ended
// by the time at, the result is +Inf, and the state is that of the time at.
//
// Complexity: O(local jobs that arrive by the end), about longPart at most.
func (q *localQueue) stretch(start, takes, at float64) float64 {
	q.idle(start)
	now, left := start, takes
	if sure := longPart * q.unit; left > sure {
		rate := max(1-q.load, 0.5) // of the part: local jobs slow it by their load, or by half where that is too little for them
		then := now + (left-sure)/rate
		if then > at {
			q.jump(math.Floor(q.epochOf(at)), min(q.load, 0.5))
			return math.Inf(1)
		}
		q.jump(math.Floor(q.epochOf(then)), min(q.load, 0.5))
		for q.arrival() <= then {
			q.arrive()
		}
		q.now, now, left = max(q.now, then), then, sure
	}
	for left > 0 {
		step, rate := left, 1.0
		if q.backlog > 0 {
			step, rate = 2*min(left, q.backlog), 0.5
		}
		then, arrival := now+step, q.arrival()
		joins := arrival < then
		if joins {
			then = max(now, arrival)
			step = then - now
		}
		if then > at {
			q.backlog = max(0, q.backlog-(1-rate)*(at-now))
			q.now = at
			return math.Inf(1)
		}
		left, q.backlog = max(0, left-rate*step), max(0, q.backlog-(1-rate)*step)
		if now = then; joins {
			q.backlog += q.arrive()
		}
	}
	q.now = max(q.now, now)
	return now
}
