package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Two jobs of 4 tasks of length 4 on 3 processors, a context switch of 1. Within 12.3 a processor runs at most 2 tasks of a job, and in half of that one. Each job
// needs at least 2 processors, if its two parts are long. But three long parts at most find room, so that one job takes 3 processors: together they take 32 of work
// and 5 overheads. That is more than 3·12.3, but not more than 3·12.34.
func TestMoldableByHand(t *testing.T) {
	jobs := []model.JobSpec{{ID: "a", Processors: model.Moldable(1, 3), Tasks: 4, Work: new(4.0)}, {ID: "b", Processors: model.Moldable(1, 3), Tasks: 4, Work: new(4.0)}}
	single := model.ClusterSpec{ID: "c", Overheads: &model.Overheads{ContextSwitch: 1}, Machines: []model.MachineSpec{{ID: "m", Count: 3}}}
	in := built(t, model.NewBuilder("hand").Cluster(single).Job(jobs...))
	says := func(in *model.Instance, makespan, bound float64, want proof.Verdict, beside ...string) {
		t.Helper()
		c := claim(in, "makespan", bound, 0, &proof.Argument{Moldable: &proof.Moldable{Makespan: makespan}})
		for _, metric := range beside {
			c.Objective[metric] = 1
		}
		if r := verdict(t.Context(), in, c); r.Verdict != want {
			t.Errorf("makespan %v for a bound of %v: %v", makespan, bound, r)
		}
	}
	says(in, 12.333, 12.333, proof.Verified)
	says(in, 12.333, 12.3331, proof.Refuted)
	says(in, 12.334, 12.333, proof.Refuted)
	says(in, 8.9, 8.9, proof.Verified) // a processor runs one task in that time, and 3 are too few for 4 tasks
	whole, second, unequal := single, single, single
	whole.Allocation, second.ID = "machine", "d"
	unequal.Machines = []model.MachineSpec{{ID: "m", Count: 3}, {ID: "n", Speed: 2}}
	says(built(t, model.NewBuilder("machines").Cluster(whole).Job(jobs...)), 1, 1, proof.NotCertified)
	says(built(t, model.NewBuilder("two").Cluster(single, second).Job(jobs...)), 1, 1, proof.NotCertified)
	says(built(t, model.NewBuilder("unequal").Cluster(unequal).Job(jobs...)), 1, 1, proof.NotCertified)
	jobs[0].Deadline, jobs[0].DeadlineHard, jobs[1].After = new(50.0), true, []string{"a"}
	in = built(t, model.NewBuilder("deadline").Cluster(single).Job(jobs...))
	says(in, 1, 1, proof.Verified) // both are owed
	jobs[1].Deadline, jobs[1].DeadlineHard = new(90.0), true
	in = built(t, model.NewBuilder("none").Cluster(single).Job(jobs...))
	says(in, 1, 1, proof.Verified)
	says(in, 1, 1, proof.Refuted, "unfinished") // no job has to be placed
}

// moldableBatch is a random batch on one cluster of equal processors: moldable jobs, overheads, messages, transfers, stated run times, memory.
func moldableBatch(t testing.TB, rng *rand.Rand) *model.Instance {
	b := model.NewBuilder("moldable")
	spec := cluster("c", 1, float64(1+rng.IntN(2)))
	spec.Machines[0].Count, spec.Machines[0].Bandwidth = 1+rng.IntN(6), float64(rng.IntN(2))
	if rng.IntN(3) == 0 {
		spec.Machines[0].Processors, spec.Machines[0].Memory = 2, new(3.0)
	}
	if rng.IntN(4) > 0 {
		spec.Overheads = &model.Overheads{ContextSwitch: float64(1+rng.IntN(6)) / 4}
	}
	spec.Network = &model.Network{Latency: float64(rng.IntN(2)) / 8, Bandwidth: 1}
	b.Cluster(spec)
	for j := range 1 + rng.IntN(8) {
		least := 1 + rng.IntN(2)
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Moldable(least, least+rng.IntN(4)), Tasks: 1 + rng.IntN(8), Work: new(float64(rng.IntN(13)) / 4), Memory: float64(rng.IntN(3))}
		switch rng.IntN(5) {
		case 0:
			job.Message = float64(rng.IntN(3)) / 2
		case 1:
			job.Input = float64(rng.IntN(2))
		case 2:
			job.Work, job.Runtime = nil, map[string]float64{"c": float64(rng.IntN(9))}
		case 3:
			job.Processors = model.Rigid(least)
		}
		b.Job(job)
	}
	return built(t, b)
}

// moldableFits says how much processor time the jobs need within the makespan, from docs/proofs.md and in float64. It does not choose the long parts one by one: for each price of a long part it adds up what
// each job takes at least, its long parts paid, and takes the best price, by the duality of linear programs. It returns false if the makespan is too short for some job or for all long parts.
func moldableFits(in *model.Instance, makespan float64) (need float64, possible bool) {
	machine, P := &in.Clusters()[0].Machines[0], float64(in.Processors())
	type line struct{ from, to, high, low float64 } // from and to long parts, what is needed with them
	var lines []line
	prices, required := []float64{0}, 0.0
	for j := range in.Jobs() {
		job := &in.Jobs()[j]
		if !in.CanRun(j, 0) {
			continue
		}
		least, most := in.Width(j, 0)
		most = min(most, in.Usable(j, 0), job.Tasks)
		least = min(least, most)
		long, short := 0, 0
		for b := 1; b <= job.Tasks-least+1; b++ {
			busy := in.Busy(j, 0, machine.Speed, b)
			if busy+in.Transfer(j, machine.Bandwidth) <= makespan {
				long = b
				if busy <= makespan/2 {
					short = b
				}
			}
		}
		held, overhead := 0.0, in.Busy(j, 0, machine.Speed, 0)
		work := in.Busy(j, 0, machine.Speed, job.Tasks) - overhead
		if job.StatesRuntimes() {
			work = in.Busy(j, 0, machine.Speed, 1) * float64(job.Tasks)
		}
		if held = work; job.Min == job.Max && (job.Tasks < job.Min || job.Tasks%job.Min == 0) {
			held = float64(job.Min) * in.DurationOn(j, 0, job.Min)
		}
		takes := func(x float64) (parts float64) { // processors with x long parts
			parts = max(float64(least), math.Ceil(float64(job.Tasks)/float64(long)))
			if short > 0 {
				parts = max(parts, (float64(job.Tasks)-x*float64(long-short))/float64(short))
			}
			return parts
		}
		if long == 0 || job.Tasks > most*long {
			return 0, false
		}
		x := 0.0
		if short == 0 {
			x = takes(0)
		}
		for short > 0 && most*short+int(x)*(long-short) < job.Tasks {
			x++
		}
		required += x
		l := line{x, x, max(held, work+overhead*takes(x)), max(held, work+overhead*takes(math.Inf(1)))}
		if short == 0 || long == short {
			l.low = l.high
		}
		if l.high > l.low {
			slope := overhead * float64(long-short) / float64(short)
			l.to += (l.high - l.low) / slope
			prices = append(prices, slope)
		}
		lines = append(lines, l)
	}
	best := math.Inf(-1)
	for _, price := range prices {
		sum := -price * P
		for _, l := range lines {
			sum += min(l.high+price*l.from, l.low+price*l.to)
		}
		best = max(best, sum)
	}
	return best, required <= P
}

func TestMoldableProvesWhatItShould(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(3, 44)), tally{}
	for range race.Fewer(4000, 400) {
		in := moldableBatch(t, rng)
		if in.Features()&model.MemoryLimits == 0 && len(in.Jobs()) > 3 {
			seen["many"]++
		}
		runs, owed := false, 0 // nothing can run some jobs, which every schedule owes
		for j := range in.Jobs() {
			if in.CanRun(j, 0) {
				runs = true
			} else {
				owed++
			}
		}
		for range 6 {
			makespan := rng.Float64() * 20
			want := proof.Refuted
			need, possible := moldableFits(in, makespan)
			room := makespan * float64(in.Processors())
			if runs && (!possible || need > room) {
				want = proof.Verified
			}
			if runs && possible && math.Abs(need-room) < 1e-9*room {
				continue
			}
			by := proof.Argument{Moldable: &proof.Moldable{Makespan: makespan}}
			c := claim(in, "makespan", makespan, 0, &by)
			if c.Owed = owed; owed > 0 {
				seen["some owed "+string(want)]++
			}
			if r := verdict(t.Context(), in, c); r.Verdict != want {
				t.Fatalf("makespan %v: %v, expected %s: the jobs need %v of %v (possible: %t)\n%s", makespan, r, want, need, room, possible, written(in))
			}
			seen[fmt.Sprint(want, " ", possible)]++
		}
	}
	for _, kind := range []string{"many", "refuted true", "verified true", "verified false", "some owed verified", "some owed refuted"} {
		if seen[kind] < race.Fewer(300, 30) {
			t.Errorf("%s: %d cases, the test says little: %v", kind, seen[kind], seen)
		}
	}
	t.Log(seen)
}
