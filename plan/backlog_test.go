package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
)

// A backlog says of a job with its machines and devices when they are free, as the naive form does: at the first instant, of those at which something changes, from which on at
// no time more processors and devices are held than there are. What jobs keep beyond what a machine has makes nothing free later.
func TestBacklog(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		b := model.NewBuilder("backlog").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Resources: map[string]float64{"gpu": 2},
			Closed: []model.ClosedSpec{{From: 6, To: new(8.0)}}}}})
		b.Spec().Devices = []string{"gpu"}
		const jobs = 6
		for range jobs {
			j := model.JobSpec{ID: string(rune('a' + len(b.Spec().Jobs))), Work: new(1.0), Processors: model.Rigid(1 + rng.IntN(4))}
			if rng.IntN(2) == 0 && j.Processors.Min == 1 {
				j.Resources = map[string]float64{"gpu": []float64{0.5, 1}[rng.IntN(2)]}
			}
			b.Job(j)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		type held struct {
			processors int
			devices    [2]float64
			from, to   float64
		}
		var all []held
		backlog := NewBacklog(in)
		for k := range jobs {
			j := &in.Jobs()[k]
			share := place.Share{Processors: int32(j.Min)}
			mine := held{processors: j.Min}
			for _, need := range j.Node().Resources {
				device := rng.IntN(2)
				share.Devices, mine.devices[device] = []int32{int32(device)}, need.Amount.Float()
			}
			shares, takes, ready := []place.Share{share}, float64(1+rng.IntN(3)), float64(rng.IntN(3))
			fits := func(start float64, closed bool) bool {
				if closed && start < 8 && start+takes > 6 {
					return false
				}
				for at := start; at < start+takes; at += 0.5 {
					sum := mine
					for _, h := range all {
						if h.from <= at && at < h.to {
							sum.processors += h.processors
							sum.devices[0] += h.devices[0]
							sum.devices[1] += h.devices[1]
						}
					}
					if sum.processors > 4 || mine.devices[0] > 0 && sum.devices[0] > 1 || mine.devices[1] > 0 && sum.devices[1] > 1 {
						return false
					}
				}
				return true
			}
			want := [2]float64{ready, ready}
			for !fits(want[0], false) {
				want[0] += 0.5
			}
			for !fits(want[1], true) {
				want[1] += 0.5
			}
			start, open := backlog.Start(j, 0, shares, ready, takes)
			opens := backlog.Opens(j, 0, shares, ready, takes)
			if start != want[0] || opens != want[1] || open != (want[0] == want[1]) {
				t.Fatalf("job %d starts at %v and, where machines are open, at %v, open %v; expected %v", k, start, opens, open, want)
			}
			if opens > start {
				found++
			}
			mine.from, mine.to = opens, opens+takes
			if rng.IntN(2) == 0 { // it keeps what it waits for, whatever others hold
				mine.from = 0
			}
			backlog.Hold(j, 0, shares, mine.from, mine.to)
			all = append(all, mine)
		}
	})
	if found == 0 {
		t.Error("no job waited for its machine to open: the test proves little")
	}
}

// Where a machine is closed to a job for ever there is no start.
func TestBacklogNeverOpens(t *testing.T) {
	in, err := model.NewBuilder("closed").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Closed: []model.ClosedSpec{{From: 2}}}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	backlog := NewBacklog(in)
	if at := backlog.Opens(&in.Jobs()[0], 0, []place.Share{{Processors: 1}}, 1.5, 1); !math.IsInf(at, 1) {
		t.Errorf("starts at %v", at)
	}
}

// Jobs placed behind holds of a batch, on tracked machines and in banks, make with the jobs that hold them a right schedule when all processors are named again: whole instances
// cut in two, of which the second part knows of the first what it holds.
func TestNameAgain(t *testing.T) {
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		drawn := modeltest.Rounds(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5)))
		spec := drawn.SystemSpec()
		for j := range drawn.Jobs() {
			job := drawn.JobSpec(j)
			if job.After, job.Estimate = nil, nil; job.Span == "grid" {
				job.Span = ""
			}
			spec.Jobs = append(spec.Jobs, job)
		}
		in, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if in.Features()&^(ScheduleFeatures|CheapFeatures(in)) != 0 {
			return
		}
		var sol model.Solution
		var holds []model.Hold
		half := len(in.Jobs()) / 2
		for part := range 2 {
			var jobs []int
			var ready []float64
			for j := range in.Jobs() {
				if first := j < half || in.Jobs()[j].Node().Running != nil; first == (part == 0) {
					jobs, ready = append(jobs, j), append(ready, in.Jobs()[j].Arrival)
				}
			}
			if len(jobs) == 0 {
				continue
			}
			batch := in.Batch(jobs, ready, holds)
			s, err := NewCheapSchedule(batch, Placing{})
			if err != nil {
				t.Fatal(err)
			}
			for j := range jobs {
				best, ok := Slot{}, false
				for c := range in.Clusters() {
					if slot, found := s.Earliest(j, c); found && (!ok || slot.Before(&best)) {
						best, ok = slot, true
					}
				}
				if ok {
					s.Place(j, best)
				} else {
					s.LeaveUnplaceable(j)
				}
			}
			made := s.Solution()
			for _, p := range made.Jobs {
				j, _ := in.JobIndex(p.Job)
				c, _ := in.ClusterIndex(p.Cluster)
				holds = append(holds, model.Hold{Job: &in.Jobs()[j], Start: p.Start, End: p.End, Pieces: []model.HoldPiece{{Cluster: c, Processors: p.Processors, Devices: p.Devices, End: p.End}}})
			}
			sol.Jobs, sol.Unscheduled = append(sol.Jobs, made.Jobs...), append(sol.Unscheduled, made.Unscheduled...)
		}
		NameAgain(in, &sol)
		if report := model.Check(in, &sol); !report.OK() {
			t.Fatal(report.Violations[0])
		}
		switch {
		case Placing{}.ByNode(in):
			kinds["machines"]++
		case StartsCheap(in):
			kinds["banks"]++
		}
	})
	if kinds["machines"] == 0 || kinds["banks"] == 0 {
		t.Errorf("kinds %v: the test proves little", kinds)
	}
}
