package ga

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// TestSection3MaskCodingByHand decodes a schedule like that of Fig. 2: the columns are executed in order, each as soon as all
// of its processors are free.
func TestSection3MaskCodingByHand(t *testing.T) {
	inf := math.Inf(1)
	c := Cluster{Processors: 5, Origin: 10, Jobs: []Job{
		{Size: 2, Duration: 4, Arrival: 10, Deadline: inf}, // on 0, 1: 10–14
		{Size: 3, Duration: 2, Arrival: 10, Deadline: 15},  // on 2, 3, 4: 10–12
		{Size: 2, Duration: 3, Arrival: 11, Deadline: 16},  // on 1, 2: waits for 1 until 14, 14–17
		{Size: 1, Duration: 1, Arrival: 13, Deadline: 13},  // on 4: free at 12, arrives at 13, 13–14
	}}
	s := Schedule{Order: []int32{0, 1, 2, 3}, Masks: []uint64{0b00011, 0b11100, 0b00110, 0b10000}}
	if starts := c.Starts(s); !slices.Equal(starts, []float64{10, 10, 14, 13}) {
		t.Errorf("starts %v", starts)
	}
	totals, _ := newDecoder(context.Background(), &c).decode(s, nil)
	if want := (Totals{Makespan: 7, Over: 2, Response: 4 + 2 + 6 + 1}); totals != want {
		t.Errorf("totals %+v, want %+v", totals, want)
	}
	// In the list coding the third job is not bound to processor 1 and starts at 12.
	if starts := c.Starts(s.in(List)); !slices.Equal(starts, []float64{10, 10, 12, 13}) {
		t.Errorf("list: starts %v", starts)
	}
}

// TestDecodeBehindHoldsByHand decodes behind earlier jobs: processors 0 and 1 are held until 12, processor 2 until 20, which is the makespan too.
func TestDecodeBehindHoldsByHand(t *testing.T) {
	inf := math.Inf(1)
	c := Cluster{Processors: 4, Origin: 10, Released: []float64{12, 12, 20, 10}, Jobs: []Job{
		{Size: 2, Duration: 3, Arrival: 10, Deadline: 14},  // on 1, 3: 12–15
		{Size: 1, Duration: 1, Arrival: 10, Deadline: inf}, // on 0: 12–13
		{Size: 1, Duration: 0, Arrival: 10, Deadline: inf}, // on 2: holds nothing and waits for nothing, 10–10
		{Size: 2, Duration: 2, Arrival: 11, Deadline: inf}, // on 0, 1: 15–17
	}}
	s := Schedule{Order: []int32{0, 1, 2, 3}, Masks: []uint64{0b1010, 0b0001, 0b0100, 0b0011}}
	if starts := c.Starts(s); !slices.Equal(starts, []float64{12, 12, 10, 15}) {
		t.Errorf("starts %v", starts)
	}
	totals, _ := newDecoder(context.Background(), &c).decode(s, nil)
	if want := (Totals{Makespan: 10, Over: 1, Response: 5 + 3 + 0 + 6}); totals != want {
		t.Errorf("totals %+v, want %+v", totals, want)
	}
	// In the list coding the first job takes the processors released last, both at 12; the second takes 3 at once, and the last 3 and another at 15.
	d := newDecoder(context.Background(), &c)
	for range 2 { // a second time in the same state
		starts := make([]float64, len(c.Jobs))
		if totals, _ = d.decode(s.in(List), starts); !slices.Equal(starts, []float64{12, 10, 10, 15}) || totals.Makespan != 10 {
			t.Errorf("list: starts %v, makespan %v", starts, totals.Makespan)
		}
	}
}

// slowStarts decodes with a list of all that ran before on each processor.
func slowStarts(c *Cluster, s Schedule) []float64 {
	release := make(map[int]float64)
	for p := range c.Processors {
		release[p] = c.Origin
		if c.Released != nil {
			release[p] = c.Released[p]
		}
	}
	starts := make([]float64, len(c.Jobs))
	words := Words(c.Processors)
	for _, id := range s.Order {
		j := c.Jobs[id]
		var chosen []int
		if s.Masks != nil {
			for p := range c.Processors {
				if s.Masks[int(id)*words+p/64]&(1<<(p%64)) != 0 {
					chosen = append(chosen, p)
				}
			}
		} else {
			chosen = slowChoice(c, release, j)
		}
		starts[id] = j.Arrival
		if j.Duration == 0 {
			continue // it holds nothing and waits for no other
		}
		for _, p := range chosen {
			starts[id] = max(starts[id], release[p])
		}
		for _, p := range chosen {
			release[p] = starts[id] + j.Duration
		}
	}
	return starts
}

// slowChoice is the processors that the list coding takes.
func slowChoice(c *Cluster, release map[int]float64, j Job) []int {
	var all []int
	for p := range c.Processors {
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(release[a], release[b]) })
	start := max(j.Arrival, release[all[j.Size-1]])
	free := slices.DeleteFunc(all, func(p int) bool { return release[p] > start })
	return free[len(free)-j.Size:]
}

func TestDecodeAgainstSlowReference(t *testing.T) {
	for name, coding := range codings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, s := drawCluster(t, 12, 70)
				s = s.in(coding)
				starts, want := c.Starts(s), slowStarts(&c, s)
				if !slices.Equal(starts, want) {
					t.Fatalf("starts %v, want %v", starts, want)
				}
				var totals Totals
				latest := c.Origin
				for _, at := range c.Released {
					latest = max(latest, at)
				}
				for _, id := range s.Order {
					j := c.Jobs[id]
					end := starts[id] + j.Duration
					latest = max(latest, end)
					totals.Over += max(0, end-j.Deadline)
					totals.Response += end - j.Arrival
				}
				totals.Makespan = latest - c.Origin
				if found, _ := newDecoder(context.Background(), &c).decode(s, nil); found != totals {
					t.Fatalf("totals %+v, want %+v", found, totals)
				}
			})
		})
	}
}

// TestListCodingIsThatOfPlan holds the list coding, where nothing is held, to a schedule of the same order, to the last bit.
func TestListCodingIsThatOfPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, s := drawCluster(t, 14, 20)
		b := model.NewBuilder("plan").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: c.Processors}}})
		c.Origin, c.Released = math.Inf(1), nil
		for k, j := range c.Jobs {
			c.Origin = min(c.Origin, j.Arrival)
			spec := model.JobSpec{ID: fmt.Sprint(k), Processors: model.Rigid(j.Size), Work: new(j.Duration), Arrival: j.Arrival}
			if !math.IsInf(j.Deadline, 1) {
				spec.Deadline = new(j.Deadline)
			}
			b.Job(spec)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		schedule, err := plan.NewSchedule(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, job := range s.Order {
			slot, _ := schedule.Earliest(int(job), 0)
			schedule.Place(int(job), slot)
		}
		makespan, over := 0.0, 0.0
		for k, p := range schedule.Solution().Jobs {
			makespan = max(makespan, p.End-in.FirstArrival())
			over += max(0, p.End-c.Jobs[s.Order[k]].Deadline)
		}
		found, _ := newDecoder(context.Background(), &c).decode(s.in(List), nil)
		if found.Makespan != makespan || found.Over != over {
			t.Fatalf("%+v, the schedule has makespan %v, over %v", found, makespan, over)
		}
	})
}

func TestDecodeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, coding := range codings {
		c, s := randomCluster(200, 512, 512, 1)
		if _, err := newDecoder(ctx, &c).decode(s.in(coding), nil); !errors.Is(err, errCancelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	for name, coding := range codings {
		c, s := randomCluster(60, 100, 30, 1)
		s = s.in(coding)
		for range 2 {
			d := newDecoder(context.Background(), &c)
			if n := testing.AllocsPerRun(50, func() { _, _ = d.decode(s, nil) }); n != 0 {
				t.Errorf("%s, held %t: %v allocations", name, c.Released != nil, n)
			}
			for p := range c.Processors { // again behind holds
				c.Released = append(c.Released, float64(p))
			}
		}
	}
}

// BenchmarkDecode measures evaluations per second of schedules of 25 jobs on 20 processors and of larger ones.
func BenchmarkDecode(b *testing.B) {
	for _, size := range []struct{ jobs, processors, widest int }{{25, 20, 10}, {300, 512, 64}, {300, 512, 512}} {
		for _, coding := range []string{"mask", "list"} {
			b.Run(fmt.Sprintf("coding=%s/jobs=%d/processors=%d/widest=%d", coding, size.jobs, size.processors, size.widest), func(b *testing.B) {
				c, s := randomCluster(size.jobs, size.processors, size.widest, 1)
				s = s.in(codings[coding])
				d := newDecoder(context.Background(), &c)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := d.decode(s, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evaluations/s")
			})
		}
	}
}

// BenchmarkMinimise measures whole runs: evaluations per second with all operators.
func BenchmarkMinimise(b *testing.B) {
	for _, coding := range []string{"mask", "list"} {
		b.Run("coding="+coding+"/jobs=25/processors=20", func(b *testing.B) {
			c, s := randomCluster(25, 20, 10, 1)
			p := with(codings[coding])
			p.Patience = p.Generations
			evaluations := 0.0
			b.ReportAllocs()
			for b.Loop() {
				result, err := Minimise(context.Background(), c, s.in(p.Coding), p, 1, Limits{})
				if err != nil {
					b.Fatal(err)
				}
				evaluations += float64(result.Evaluations)
			}
			b.ReportMetric(evaluations/b.Elapsed().Seconds(), "evaluations/s")
		})
	}
}
