package proof

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
)

// Where a job can run, and for what time and processor time at least, as the checker of schedules has it: it is asked about every placement of one job.
func TestPlacesAreWhatTheCheckerAccepts(t *testing.T) {
	race.OneGoroutine(t)
	rng := rand.New(rand.NewPCG(3, 32))
	nowhere, spread := 0, 0
	for k := range race.Fewer(800, 300) {
		in := modeltest.Alone(rng)
		want := modeltest.AcceptedOf(in)
		f := newFacts(t.Context(), in)
		several := f.over[0]
		if several == nil {
			several = make([]bool, len(f.alone[0]))
		}
		if !slices.Equal(f.alone[0], want.Alone) || !slices.Equal(several, want.Over) {
			t.Fatalf("%d: alone %v, as one of several %v; the checker %v and %v", k, f.alone[0], several, want.Alone, want.Over)
		}
		if f.has[0] != want.Any() {
			t.Fatalf("%d: has to be placed: %v, the checker %v", k, f.has[0], want.Any())
		}
		for c := range in.Clusters() {
			if runs := in.CanRun(0, c); runs != f.alone[0][c] || !slices.Equal(in.SpreadOver(0), f.over[0]) {
				t.Fatalf("%d: the model says %v and %v", k, runs, in.SpreadOver(0))
			}
		}
		if !want.Any() {
			nowhere++
			continue
		}
		if slices.Contains(want.Over, true) {
			spread++
		}
		var area *big.Rat
		for c := range in.Clusters() {
			if x, ok := f.held(0, c); ok && (area == nil || x.Cmp(area) < 0) {
				area = x
			}
		}
		exceeds := func(x *big.Rat, least float64) bool { return x.Cmp(number(least*(1+1e-12))) > 0 }
		if exceeds(f.least[0], want.Time) || exceeds(area, want.Area) {
			t.Fatalf("%d: takes %s and holds %s at least; a placement takes %v, one holds %v", k, f.least[0], area, want.Time, want.Area)
		}
	}
	if nowhere < race.Enough(200) || spread < race.Enough(80) {
		t.Errorf("too few of a kind: %d run nowhere, %d spread", nowhere, spread)
	}
}

// Memory of which the last digit decides.
func TestRoomIsExact(t *testing.T) {
	slack := number(1 + 0x1p-52)
	in := modeltest.Alone(rand.New(rand.NewPCG(1, 1)))
	m, job := in.Clusters()[0].Machines[0], in.Jobs()[0]
	own := *job.Demand
	job.Demand, own.MinBandwidth, own.Licences = &own, 0, nil
	for _, each := range []float64{0.1, 0.3, 1, 1.0 / 3, 7} {
		for n := range 12 {
			for ulps := -3; ulps <= 3; ulps++ {
				m.Units, job.Memory, m.Memory = 9, each, float64(n)*each
				for range max(ulps, -ulps) {
					m.Memory = math.Nextafter(m.Memory, float64(ulps))
				}
				if m.Memory <= 0 {
					continue
				}
				limit, want := new(big.Rat).Mul(number(m.Memory), slack), 0
				for want < 9 && new(big.Rat).Mul(big.NewRat(int64(want+1), 1), number(each)).Cmp(limit) <= 0 {
					want++
				}
				if found := room(&job, &m); found != want {
					t.Errorf("memory %v, %v each: %d processors, expected %d", m.Memory, each, found, want)
				}
			}
		}
	}
}
