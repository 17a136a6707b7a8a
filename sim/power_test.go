package sim_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// watcher looks at the platform.
type watcher struct{}

func (watcher) Arrived(float64, *sim.Job)                   {}
func (watcher) Started(float64, *sim.Job, []sim.Part)       {}
func (watcher) Left(float64, *sim.Job, sim.Outcome, string) {}
func (watcher) Decided(float64)                             {}
func (watcher) Watch(*sim.Platform, sim.Policy)             {}

// Under power caps and with machines that sleep by a rule everything runs, watched or not, on one cluster or two. Under a horizon nothing does, and it is said so.
func TestPowerLimitsOnLine(t *testing.T) {
	for _, limit := range []string{"", "cap", "horizon", "sleep"} {
		for _, watched := range []bool{false, true} {
			for _, grid := range []bool{false, true} {
				cluster := model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 1, Busy: 2}}}}
				b := model.NewBuilder("")
				switch limit {
				case "cap":
					cluster.PowerCap = [][]float64{{0, 4}}
				case "horizon":
					b.Spec().Horizon = &model.HorizonSpec{To: 100}
				case "sleep":
					cluster.Machines[0].Power.Off, cluster.Machines[0].Power.SuspendAfter = []model.OffSpec{{Name: "off"}}, new(1.0)
				}
				b.Cluster(cluster)
				if grid {
					b.Cluster(model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{{ID: "m"}}})
				}
				in, err := b.Job(model.JobSpec{ID: "a", Work: new(3.0)}, model.JobSpec{ID: "b", Work: new(3.0)}).Build()
				if err != nil {
					t.Fatal(err)
				}
				var opt sim.Options
				if watched {
					opt.Observer = watcher{}
				}
				sol, _, err := sim.Simulate(t.Context(), in, backfill.EASY(1, 1, backfill.Ranking{}), opt)
				refused := limit == "horizon"
				if errors.Is(err, sim.ErrHorizon) != refused || !refused && err != nil {
					t.Errorf("%s, watched %v, two clusters %v: %v", limit, watched, grid, err)
				}
				if err == nil {
					if report := model.Check(in, sol); !report.OK() || len(sol.Jobs) != 2 {
						t.Errorf("%s, watched %v, two clusters %v: %v", limit, watched, grid, report.Violations)
					}
				}
			}
		}
	}
}

// A policy that starts a job which takes more than a power cap allows, now or by its estimate under a cap to come, has made a mistake: the run ends with an error.
func TestAPolicyThatBreaksACapIsCaught(t *testing.T) {
	for name, c := range map[string]struct {
		processors int32
		work       float64
		breaks     bool
	}{
		"keeps to both caps":         {1, 5, false},
		"too much now":               {2, 1, true},
		"too much under a later cap": {1, 5.5, true},
	} {
		in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", PowerCap: [][]float64{{0, 9}, {5, 4}}, Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Busy: 5}}}}).
			Job(model.JobSpec{ID: "a", Work: new(c.work * float64(c.processors)), Processors: model.Rigid(int(c.processors))}).Build()
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = sim.Simulate(t.Context(), in, sim.Discipline{General: func(platform *sim.Platform, _ uint64) sim.Policy {
			return placing{&scripted{platform: platform, claims: func(*sim.Job) []sim.Claim { return []sim.Claim{{Shares: []sim.Share{{Processors: c.processors}}}} }}}
		}}, sim.Options{})
		if (err != nil) != c.breaks || err != nil && !strings.Contains(err.Error(), "job a cannot start at 0: it would take more than a power cap before it ends by its estimate") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// placing is a policy that finds out itself what may start.
type placing struct{ *scripted }

func (placing) FindsPlaces() {}

// capped is a cluster of a dear machine before cheap ones, of two processors each, under a cap of the power of busy processors, and a job of as many processors as are given.
func capped(steps [][]float64, processors int) *model.Builder {
	busy := func(id string, watts float64) model.MachineSpec {
		return model.MachineSpec{ID: id, Processors: 2, Power: &model.PowerSpec{Busy: watts}}
	}
	return model.NewBuilder("capped").Cluster(model.ClusterSpec{ID: "c", PowerCap: steps, Machines: []model.MachineSpec{busy("dear", 10), busy("cheap", 5), busy("second", 5)}}).
		Job(model.JobSpec{ID: "j", Work: new(4.0), Processors: model.Rigid(processors)})
}

// Under a power cap a job gets as many processors of the machines of the least power as it may have, where those that come first would take too much.
func TestMachinesOfTheLeastPower(t *testing.T) {
	first, others := func(m int) bool { return m < 2 }, func(m int) bool { return m != 1 }
	for _, c := range []struct {
		cap        float64
		processors int
		among      func(m int) bool
		want       []int32 // processors by machine; none: the job does not fit
	}{
		{100, 3, nil, []int32{2, 1, 0}}, {25, 3, nil, []int32{2, 1, 0}}, {15, 3, nil, []int32{0, 2, 1}}, {14, 3, nil, nil},
		{100, 3, first, []int32{2, 1, 0}}, {24, 3, first, []int32{1, 2, 0}}, {20, 3, first, []int32{1, 2, 0}}, {19, 3, first, nil},
		{100, 3, others, []int32{2, 0, 1}}, {24, 3, others, []int32{1, 0, 2}}, {20, 3, others, []int32{1, 0, 2}}, {19, 3, others, nil},
		{10, 2, first, []int32{0, 2, 0}}, {9, 2, first, nil}, {35, 5, nil, []int32{2, 2, 1}}, {34, 5, nil, []int32{1, 2, 2}}, {30, 5, nil, []int32{1, 2, 2}}, {29, 5, nil, nil},
	} {
		asks(t, capped([][]float64{{0, c.cap}}, c.processors).Job(model.JobSpec{ID: "other", Work: new(1.0)}), func(p *sim.Platform, jobs []*sim.Job) {
			shares, ok := p.FitsAmong(&p.Free, jobs[0], 0, c.processors, c.among, nil)
			got := make([]int32, 3)
			for _, s := range shares {
				got[s.Machine] += s.Processors
			}
			if ok != (c.want != nil) || ok && !slices.Equal(got, c.want) {
				t.Errorf("cap %v, %d processors: %v, %v, expected %v", c.cap, c.processors, got, ok, c.want)
			}
		})
	}
}

// What a job that keeps to the cap now would take later is asked of what is free now, and of a room what others take in it. What it lacks is told: what it needs, what is left and when.
func TestWhatCapsLeave(t *testing.T) {
	for _, c := range []struct {
		steps [][]float64
		has   bool          // the dear machine has room for it
		lack  sim.PowerLack // none: it could start, on some machines
	}{
		{[][]float64{{0, 20}}, true, sim.PowerLack{}},
		{[][]float64{{0, 20}, {4, 5}}, true, sim.PowerLack{}},
		{[][]float64{{0, 15}}, false, sim.PowerLack{}},
		{[][]float64{{0, 20}, {2, 12}}, false, sim.PowerLack{}},
		{[][]float64{{0, 20}, {2, 5}, {50, 20}}, false, sim.PowerLack{Needs: 20, Left: 5, At: 2}},
		{[][]float64{{0, 20}, {2, 15}, {3, 7}, {50, 20}}, false, sim.PowerLack{Needs: 20, Left: 15, At: 2}},
		{[][]float64{{0, 9}, {2, 5}, {50, 20}}, false, sim.PowerLack{Needs: 20, Left: 9, At: 0}},
	} {
		asks(t, capped(c.steps, 2).Job(model.JobSpec{ID: "other", Work: new(1.0)}), func(p *sim.Platform, jobs []*sim.Job) {
			dear := []sim.Share{{Machine: 0, Processors: 2}}
			if got := p.HasRoom(&p.Free, jobs[0], 0, dear); got != c.has {
				t.Errorf("%v: there is room: %v", c.steps, got)
			}
			if lack, is := p.LacksPower(jobs[0], 0, 2); is != (c.lack.Needs > 0) || lack != c.lack {
				t.Errorf("%v: lacks %+v, %v", c.steps, lack, is)
			}
			if got, want := p.KeepsCaps(jobs[0], []sim.Claim{{Shares: dear}}), c.has; got != want {
				t.Errorf("%v: keeps the caps: %v", c.steps, got)
			}
			for n, want := range map[int][]int{1: {1}, 2: {1}, 3: {1, 2}, 4: {1, 2}, 5: {1, 2, 0}} {
				if got := p.LeastPower(jobs[0], 0, n); c.steps[0][1] == 20 && !slices.Equal(got, want) {
					t.Errorf("%d processors: machines %v, want %v", n, got, want)
				}
			}
			var room sim.Room
			room.CopyFrom(&p.Free)
			p.Take(&room, jobs[0], 0, []sim.Share{{Machine: 1, Processors: 2}})
			if got := p.HasRoom(&room, jobs[1], 0, []sim.Share{{Machine: 0, Processors: 1}}); got != (c.steps[0][1] >= 20) {
				t.Errorf("%v: there is room for two: %v", c.steps, got)
			}
		})
	}
	asks(t, capped([][]float64{{10, 5}}, 2).Job(model.JobSpec{ID: "other", Work: new(1.0)}), func(p *sim.Platform, jobs []*sim.Job) {
		for at, want := range map[float64]bool{0: true, 6: true, 7: false, 10: false} {
			if got := p.EverFits(jobs[0], 0, at); got != want {
				t.Errorf("from %v on: %v", at, got)
			}
		}
	})
}

// A job can start until a cap falls for ever below what it takes, or until its deadline leaves it too little time.
func TestUntilWhenCapsLetAJobStart(t *testing.T) {
	for _, c := range []struct {
		steps    [][]float64
		deadline float64 // 0: none
		want     float64
	}{
		{[][]float64{{0, 20}}, 0, math.Inf(1)}, {[][]float64{{0, 20}, {10, 5}}, 0, 0}, {[][]float64{{0, 5}, {10, 20}}, 0, math.Inf(1)}, {[][]float64{{0, 5}, {10, 20}, {20, 5}}, 0, 10},
		{[][]float64{{0, 5}, {10, 20}}, 13, math.Inf(-1)},
		{[][]float64{{0, 20}}, 50, 46}, {[][]float64{{0, 20}, {10, 5}}, 50, 0}, {[][]float64{{0, 5}, {10, 20}}, 50, 46},
	} {
		b := capped(c.steps, 2)
		if c.deadline > 0 {
			b.Spec().Jobs[0].Deadline, b.Spec().Jobs[0].DeadlineHard = &c.deadline, true
		}
		asks(t, b.Job(model.JobSpec{ID: "other", Work: new(1.0)}), func(p *sim.Platform, jobs []*sim.Job) {
			if got := p.FitsUntil(jobs[0], []int{0}); got != c.want && !(math.Abs(got-c.want) < 1e-9) {
				t.Errorf("%v, deadline %v: until %v, expected %v", c.steps, c.deadline, got, c.want)
			}
			if got := p.Late(jobs[0], []int{0}); got != (c.deadline == 13) {
				t.Errorf("%v, deadline %v: late: %v", c.steps, c.deadline, got)
			}
		})
	}
}
