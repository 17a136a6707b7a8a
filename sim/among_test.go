package sim_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// asks calls the function once, when the jobs of time 0 have arrived, with a platform that lists every machine; then the run ends.
func asks(t *testing.T, b *model.Builder, ask func(p *sim.Platform, jobs []*sim.Job)) {
	t.Helper()
	asksOn(t, b, true, ask)
}

// asksOn is asks with a platform that lists every machine only where it has to, unless byNode is set.
func asksOn(t *testing.T, b *model.Builder, byNode bool, ask func(p *sim.Platform, jobs []*sim.Job)) {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := asksOf(t, in, byNode, ask); !errors.Is(err, errOwn) {
		t.Fatalf("got %v", err)
	}
}

// asksOf is asksOn of an instance. The error is errOwn if some job can run, so that the function is called.
func asksOf(t *testing.T, in *model.Instance, byNode bool, ask func(p *sim.Platform, jobs []*sim.Job)) error {
	t.Helper()
	_, _, err := sim.Simulate(t.Context(), in, sim.Discipline{ByNode: byNode, General: func(platform *sim.Platform, _ uint64) sim.Policy {
		p := &opened{}
		p.decide = func(e *sim.Engine) {
			ask(platform, p.queue)
			p.queue = nil
			e.Fail(errOwn)
		}
		return p
	}}, sim.Options{})
	return err
}

// closedNodes is machine 0, which is closed in [10, 20) and for reservation r in [30, 40), and machine 1, which never is. Of the jobs the second one belongs to the reservation.
func closedNodes() *model.Builder {
	b := model.NewBuilder("closed")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{
		{ID: "m", Processors: 1, Closed: []model.ClosedSpec{{From: 10, To: new(20.0)}, {From: 30, To: new(40.0), For: "r"}}}, {ID: "n", Processors: 1},
	}})
	b.Job(model.JobSpec{ID: "a", Work: new(50.0), Processors: model.Rigid(1)})
	return b.Job(model.JobSpec{ID: "b", Work: new(5.0), Processors: model.Rigid(1), Reservation: "r"})
}

// A machine is open to a job at a time however long the job runs: before the machine closes, from when it is open again, and to a job of a reservation just while it is closed for it.
func TestOpenAt(t *testing.T) {
	asks(t, closedNodes(), func(p *sim.Platform, jobs []*sim.Job) {
		for _, at := range []float64{0, 9.5, math.Nextafter(10, 0), 10, 19.5, 20, 25, 29.5, 30, 35, math.Nextafter(40, 0), 40, 1e9} {
			home := at >= 30 && at < 40
			closed := at >= 10 && at < 20 || home
			for k, want := range [][]bool{{!closed, true}, {home, false}} {
				for m := range want {
					if got := p.OpenAt(jobs[k], m, at); got != want[m] {
						t.Errorf("job %s, machine %d at %v: %v", jobs[k].Request.ID, m, at, got)
					}
				}
			}
		}
	})
}

// A job that could start is not kept by its deadline alone; one can start until its deadline leaves it too little time; and what is free of a resource is enough for whole blocks.
func TestWhatKeepsAJobOnMachines(t *testing.T) {
	for deadline, want := range map[float64]struct {
		late  bool
		until float64
	}{100: {false, 50}, 60: {false, 10}, 50: {false, 0}, 49: {true, 0}} {
		b := closedNodes()
		b.Spec().Jobs[0].Deadline, b.Spec().Jobs[0].DeadlineHard = &deadline, true
		asks(t, b, func(p *sim.Platform, jobs []*sim.Job) {
			if late := p.WouldBeLate(jobs[0], 0, 1); late != want.late {
				t.Errorf("deadline %v: would be late: %v", deadline, late)
			}
			if got := p.FitsUntil(jobs[0], []int{0}); !(math.Abs(got-want.until) < 1e-9) && !want.late {
				t.Errorf("deadline %v: until %v, expected %v", deadline, got, want.until)
			}
		})
	}
	b := model.NewBuilder("disks").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Resources: map[string]float64{"disk": 9}}}})
	asks(t, b.Job(model.JobSpec{ID: "a", Work: new(1.0), Resources: map[string]float64{"disk": 4}}), func(p *sim.Platform, jobs []*sim.Job) {
		of := p.FreeOf(jobs[0], 0)
		if free, blocks := of.Of(p, model.ResourceNeed{Amount: 4 * model.WholeAmount}); free.Float() != 9 || blocks != 2 {
			t.Errorf("%v are free, for %d blocks", free.Float(), blocks)
		}
	})
}

// Memory lets a job hold fewer processors than are free; and a licence is as scarce as the copies in the pools say that the clusters share.
func TestMemoryAndScarcity(t *testing.T) {
	b := model.NewBuilder("memory").Cluster(model.ClusterSpec{ID: "c", Licences: map[string]int{"x": 4}, Machines: []model.MachineSpec{{ID: "m", Processors: 4, Memory: new(10.0)}}})
	b.Spec().Licences = map[string]int{"y": 2}
	b.Job(model.JobSpec{ID: "a", Work: new(1.0), Memory: 4, Processors: model.Rigid(1), Licences: map[string]int{"x": 1, "y": 1}})
	asksOn(t, b, false, func(p *sim.Platform, jobs []*sim.Job) {
		for n, want := range map[int]bool{1: true, 2: true, 3: false} {
			if _, got := p.FitsOn(&p.Free, jobs[0], 0, n, nil); got != want {
				t.Errorf("%d processors fit: %v", n, got)
			}
		}
		for l := range p.Licences() {
			want := map[string]float64{"x": 0.5, "y": 1}[p.LicenceID(l)]
			if got, none := p.Scarcity(l, 2, []int{0}), p.Scarcity(l, 0, []int{0}); got != want || none != 0 {
				t.Errorf("licence %s: scarcity %v, %v where nothing is asked for", p.LicenceID(l), got, none)
			}
		}
	})
}

// Each machine has the times of its own.
func TestClosedOf(t *testing.T) {
	asks(t, closedNodes(), func(p *sim.Platform, _ []*sim.Job) {
		want := []model.Closure{{From: 10, To: 20}, {From: 30, To: 40, For: "r"}}
		if got := p.ClosedOf(0); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := p.ClosedOf(1); len(got) > 0 {
			t.Errorf("got %v, want none", got)
		}
	})
}

// The first licence is named of which too few copies are free, without those that do not count; those that a job does not need never matter.
func TestShortOfBut(t *testing.T) {
	b := model.NewBuilder("licences")
	b.Spec().Licences = map[string]int{"x": 2, "y": 3, "z": 1}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 1}}})
	b.Job(model.JobSpec{ID: "a", Work: new(1.0), Licences: map[string]int{"x": 2, "y": 2}})
	asks(t, b, func(p *sim.Platform, jobs []*sim.Job) {
		need := map[string]int{"x": 2, "y": 2}
		var room sim.Room
		room.CopyFrom(&p.Free)
		for copies := range int32(4) {
			for pool := range room.Copies {
				room.Copies[pool] = copies
			}
			if _, fits := p.FitsLate(&room, jobs[0], 0, 1, nil, nil); fits != (copies >= 2) {
				t.Errorf("with %d copies of each it fits: %v", copies, fits)
			}
			for mask := range 8 {
				but, want := make([]bool, p.Licences()), -1
				for l := len(but) - 1; l >= 0; l-- {
					but[l] = mask>>l&1 != 0
					if !but[l] && int(copies) < need[p.LicenceID(l)] {
						want = l
					}
				}
				if got := p.ShortOfBut(but, &room, jobs[0], 0); got != want {
					t.Errorf("%d copies, without %v: %d, want %d", copies, but, got, want)
				}
				if mask == 0 && p.ShortOfBut(nil, &room, jobs[0], 0) != want {
					t.Errorf("%d copies: %d, want %d", copies, p.ShortOfBut(nil, &room, jobs[0], 0), want)
				}
			}
		}
	})
}

// A place among machines is none where a licence lacks copies, the first of the list included.
func TestFitsAmongAsksForLicences(t *testing.T) {
	b := model.NewBuilder("licences")
	b.Spec().Licences = map[string]int{"x": 2, "y": 2}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 1}}})
	b.Job(model.JobSpec{ID: "a", Work: new(1.0), Licences: map[string]int{"x": 2}}, model.JobSpec{ID: "b", Work: new(1.0), Licences: map[string]int{"y": 2}})
	asks(t, b, func(p *sim.Platform, jobs []*sim.Job) {
		for k, j := range jobs {
			for copies := range int32(4) {
				var room sim.Room
				room.CopyFrom(&p.Free)
				room.Copies[k] = copies
				if _, ok := p.FitsAmong(&room, j, 0, 1, func(int) bool { return true }, nil); ok != (copies >= 2) {
					t.Errorf("job %s beside %d copies: %v", j.Request.ID, copies, ok)
				}
			}
		}
	})
}

// On machines of different speeds that close, a job fits if they are open for as long as its tasks, shared among them, and its data take together: here 1 for two tasks on the fast
// machine and one on the slow, and 0.5 for the data. On a machine alone it takes 3, or 1.5, and the data.
func TestFitsAmongUntilMachinesClose(t *testing.T) {
	for _, c := range []struct {
		closes     float64
		both, fast bool
	}{{0.5, false, false}, {1, false, false}, {1.25, false, false}, {1.5, true, false}, {1.75, true, false}, {2, true, true}, {9, true, true}} {
		b := model.NewBuilder("closing")
		closed := func() []model.ClosedSpec { return []model.ClosedSpec{{From: c.closes, To: new(100.0)}} }
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{
			{ID: "slow", Processors: 1, Speed: 1, Bandwidth: 2, Closed: closed()}, {ID: "fast", Processors: 1, Speed: 2, Bandwidth: 2, Closed: closed()},
		}})
		b.Job(model.JobSpec{ID: "a", Work: new(1.0), Tasks: 3, Processors: model.Moldable(1, 2), Input: 1})
		asks(t, b, func(p *sim.Platform, jobs []*sim.Job) {
			for _, on := range []struct {
				processors int
				among      func(m int) bool
				want       bool
			}{{2, func(int) bool { return true }, c.both}, {1, func(m int) bool { return p.Machines[m].Speed == 2 }, c.fast}} {
				if _, ok := p.FitsAmong(&p.Free, jobs[0], 0, on.processors, on.among, nil); ok != on.want {
					t.Errorf("machines that close at %v: on %d processors %v, expected %v", c.closes, on.processors, ok, on.want)
				}
			}
		})
	}
}

// What is free in two rooms on a cluster is the less of each machine's processors and memory and of each pool; other clusters stay as they are.
func TestIntersectCluster(t *testing.T) {
	b := model.NewBuilder("rooms")
	b.Spec().Licences = map[string]int{"x": 5}
	machines := func() []model.MachineSpec {
		return []model.MachineSpec{{ID: "m", Processors: 4, Memory: new(8.0)}, {ID: "n", Processors: 6, Memory: new(9.0)}}
	}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: machines()}, model.ClusterSpec{ID: "d", Machines: machines()})
	b.Job(model.JobSpec{ID: "a", Work: new(1.0), Memory: 1, Tasks: 2, Processors: model.Rigid(2), Licences: map[string]int{"x": 1}})
	asksOn(t, b, false, func(p *sim.Platform, _ []*sim.Job) {
		for _, cluster := range []int{0, 1} {
			var room, other sim.Room
			room.CopyFrom(&p.Free)
			other.CopyFrom(&p.Free)
			for k := range room.Processors {
				room.Processors[k], other.Processors[k] = int32(1+k), int32(4-k)
				room.Memory[k], other.Memory[k] = float64(4-k), float64(1+k)
			}
			room.Copies[0], other.Copies[0] = 4, 3
			was := sim.Room{}
			was.CopyFrom(&room)
			p.IntersectCluster(&room, &other, cluster)
			first, last := p.MachinesOf(cluster)
			for k := range room.Processors {
				processors, memory := was.Processors[k], was.Memory[k]
				if k >= first && k < last {
					processors, memory = min(processors, other.Processors[k]), min(memory, other.Memory[k])
				}
				if room.Processors[k] != processors || room.Memory[k] != memory {
					t.Errorf("cluster %d, machine %d: %d processors and memory %v, expected %d and %v", cluster, k, room.Processors[k], room.Memory[k], processors, memory)
				}
			}
			if room.Copies[0] != 3 {
				t.Errorf("%d copies, expected 3", room.Copies[0])
			}
		}
	})
}

// A job with a hard deadline gets machines on which it keeps it, also where others come first: faster ones, which come first in any case, or those of a faster link where it has files. Where none are fast enough it does not start.
func TestMachinesThatKeepADeadline(t *testing.T) {
	const slow, fast = 0, 1 // machines
	for _, c := range []struct {
		name      string
		first     model.MachineSpec
		job       model.JobSpec
		deadlines map[float64]int // the machine; −1: none
	}{
		{"speed", model.MachineSpec{Speed: 0.5, Bandwidth: 1}, model.JobSpec{Work: new(4.0)}, map[float64]int{3.5: -1, 4: fast, 7.5: fast, 8: fast, 100: fast}},
		{"link", model.MachineSpec{Bandwidth: 0.5}, model.JobSpec{Work: new(4.0), Input: 3}, map[float64]int{6.5: -1, 7: fast, 9.5: fast, 10: slow, 100: slow}},
		{"link, without files", model.MachineSpec{Bandwidth: 0.5}, model.JobSpec{Work: new(4.0)}, map[float64]int{3.5: -1, 4: slow, 100: slow}},
		{"speed, with files", model.MachineSpec{Speed: 0.5, Bandwidth: 1}, model.JobSpec{Work: new(4.0), Output: 3}, map[float64]int{6.5: -1, 7: fast, 10.5: fast, 11: fast}},
		{"equal", model.MachineSpec{Bandwidth: 1}, model.JobSpec{Work: new(4.0), Input: 3}, map[float64]int{6.5: -1, 7: slow}},
	} {
		for deadline, want := range c.deadlines {
			b := model.NewBuilder(c.name)
			first, second := c.first, model.MachineSpec{ID: "second", Bandwidth: 1}
			first.ID = "first"
			b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{first, second}})
			job := c.job
			job.ID, job.Deadline, job.DeadlineHard = "j", &deadline, true
			asks(t, b.Job(job, model.JobSpec{ID: "other", Work: new(1.0)}), func(p *sim.Platform, jobs []*sim.Job) {
				got := -1
				if shares, ok := p.FitsAt(&p.Free, jobs[0], 0, 1, p.Now(), nil); ok {
					got = int(shares[0].Machine)
				}
				if got != want {
					t.Errorf("%s, until %v: machine %d, expected %d", c.name, deadline, got, want)
				}
			})
		}
	}
}
