package solvers_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/formats/etc"
	"github.com/allot-opt/allot/formats/jobcsv"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
)

// boundedMetrics are the objectives that have a bound of their own.
var boundedMetrics = []string{"makespan", "mcp", "mean_response", "mean_wait", "over_deadline", "missed", "miss_rate", "mean_slowdown"}

// lowerBound is the bound that is proved; NaN: none.
func lowerBound(in *model.Instance) float64 {
	if value, ok := bound.Lower(context.Background(), in).Value(); ok {
		return value
	}
	return math.NaN()
}

func TestNoBoundIsAboveTheBestListSchedule(t *testing.T) {
	race.OneGoroutine(t)
	tight, proved, seeds := 0, 0, race.Fewer(uint64(400), 40)
	for seed := range seeds {
		plain := boundInstance(t, seed)
		optima, err := solvecases.Least(plain, boundedMetrics...)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range boundedMetrics {
			in, err := plain.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			found := lowerBound(in)
			if math.IsNaN(found) {
				continue
			}
			proved++
			best := optima[metric]
			if found > best*(1+1e-9) {
				t.Errorf("seed %d: bound %v of %s above the optimum %v", seed, found, metric, best)
			}
			if found >= best*(1-1e-9) {
				tight++
			}
		}
	}
	if proved < 4*int(seeds) || tight < proved/3 {
		t.Errorf("%d bounds, %d of them tight: expected more", proved, tight)
	}
}

// boundInstance has up to 4 jobs on up to 3 clusters with arrivals, precedence, licences, run times, transfers, tasks and whole machines.
func boundInstance(t testing.TB, seed uint64) *model.Instance {
	rng := rand.New(rand.NewPCG(seed, 9))
	b := model.NewBuilder("bound")
	clusters := 1 + rng.IntN(3)
	for c := range clusters {
		cluster := solvecases.Machines(fmt.Sprint("c", c), 1+rng.IntN(4), float64(1+rng.IntN(3)))
		if rng.IntN(6) == 0 {
			cluster.Allocation = "machine"
		}
		if rng.IntN(4) == 0 {
			cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: "fast", Speed: 4, Bandwidth: 2})
		}
		b.Cluster(cluster)
	}
	for j := range 1 + rng.IntN(4) {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(3)), Work: new(float64(rng.IntN(12)))}
		switch rng.IntN(8) {
		case 0:
			job.Tasks = 1 + rng.IntN(7)
		case 1:
			job.Input = float64(rng.IntN(5))
		case 2:
			job.Runtime = map[string]float64{"c0": float64(1 + rng.IntN(9))}
		}
		if rng.IntN(2) == 0 {
			job.Deadline = new(float64(rng.IntN(15)))
		}
		if rng.IntN(2) == 0 {
			job.Arrival = float64(rng.IntN(6))
		}
		if j > 0 && rng.IntN(4) == 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		if rng.IntN(3) == 0 {
			job.Licences = map[string]int{"l": 1 + rng.IntN(2)}
			b.Spec().Licences = map[string]int{"l": 2}
		}
		b.Job(job)
	}
	return solvecases.Built(t, b)
}

func TestNoBoundWhereItWouldNotHold(t *testing.T) {
	b := model.NewBuilder("left out").Cluster(solvecases.Machines("c0", 2, 1)).
		Job(model.JobSpec{ID: "short", Work: new(2.0)}).
		Job(model.JobSpec{ID: "late", Work: new(9.0), Deadline: new(5.0), DeadlineHard: true}).
		Job(model.JobSpec{ID: "waits", Work: new(9.0), After: []string{"late"}}).
		Job(model.JobSpec{ID: "wide", Work: new(9.0), Processors: model.Rigid(3)})
	in := solvecases.Built(t, b)
	if found := lowerBound(in); math.Abs(found-2) > 1e-9 {
		t.Errorf("makespan bound %v, expected that of the one job that must be placed, 2", found)
	}
	for metric, want := range map[string]float64{"mean_response": 2, "mcp": 2.0 / 3, "balance": 0, "unfinished": 3} { // the others are never placed
		other, err := in.WithObjective(map[string]float64{metric: 1})
		if err != nil {
			t.Fatal(err)
		}
		if found := lowerBound(other); !(math.Abs(found-want) < 1e-9) {
			t.Errorf("bound %v of %s, expected %v", found, metric, want)
		}
	}
	sum, err := in.WithObjective(map[string]float64{"makespan": 2, "utilisation": 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if found := lowerBound(sum); math.Abs(found-3) > 1e-9 {
		t.Errorf("bound %v of 2·makespan − 0.01·utilisation, expected 4 − 1", found)
	}
}

func TestLicencesAndPrecedenceMakeOneBound(t *testing.T) {
	// Two licences, three users of 4 that wait for a job of 1 and that one of 5 waits for: one copy serves two of them in turn.
	b := model.NewBuilder("licensed").Cluster(solvecases.Machines("c0", 9, 1)).Job(model.JobSpec{ID: "first", Work: new(1.0)})
	b.Spec().Licences = map[string]int{"l": 2}
	for j := range 3 {
		b.Job(model.JobSpec{ID: fmt.Sprint("user", j), Work: new(4.0), Licences: map[string]int{"l": 1}, After: []string{"first"}})
	}
	b.Job(model.JobSpec{ID: "last", Work: new(5.0), After: []string{"user0", "user1", "user2"}})
	in := solvecases.Built(t, b)
	if found, best := lowerBound(in), solvecases.BruteForce(t, in); best != 14 || found < 12-1e-9 || found > best {
		t.Errorf("bound %v, expected 1 + 12/2 + 5 at least, and no more than the optimum %v, 14", found, best)
	}
}

func TestWideJobsRunOneAfterAnother(t *testing.T) {
	b := model.NewBuilder("wide").Cluster(solvecases.Machines("c0", 5, 1))
	for j := range 4 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(10.0), Processors: model.Rigid(3)})
	}
	if found := lowerBound(solvecases.Built(t, b)); math.Abs(found-40) > 1e-6 { // area: 4·3·10/5 = 24
		t.Errorf("bound %v, expected 40", found)
	}
}

// records are the rows of a table of figures.
func records(t testing.TB, path ...string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(realdata.Open(t, path...)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// number parses a field.
func number(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestAreaDualReachesTheLPOfTheBraunMatrices(t *testing.T) {
	race.OneGoroutine(t)
	for _, row := range records(t, "braun_etc", "best_known.csv") {
		in, _, err := etc.NewReader().Read(realdata.Open(t, "braun_etc", row[0]+".gz"), row[0])
		if err != nil {
			t.Fatal(err)
		}
		lp := number(t, row[3])
		if found := lowerBound(in); found > lp*(1+1e-7) || found < lp*(1-1e-5) {
			t.Errorf("%s: bound %v, the linear program has %v", row[0], found, lp)
		}
	}
}

func TestNoBoundIsAboveTheBestKnown(t *testing.T) {
	race.OneGoroutine(t)
	for _, row := range records(t, "mcp", "best_known.csv") {
		in, err := model.ReadInstanceFile(realdata.Path(t, "mcp", row[0]+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if found, best := lowerBound(in), number(t, row[2]); !(found <= best) || found < best/6 {
			t.Errorf("%s: bound %v, best known %v", row[0], found, best)
		}
	}
	for _, row := range records(t, "strip_packing", "best_known.csv") {
		width := int(number(t, row[3]))
		in, _, err := (&jobcsv.Reader{Processors: width, Cluster: "cluster"}).Read(realdata.Open(t, "strip_packing", row[0], row[1]+".csv"), row[1])
		if err != nil {
			t.Fatal(err)
		}
		found := lowerBound(in)
		if best := row[7]; best != "" && found > number(t, best) {
			t.Errorf("%s: bound %v above the best known %s", row[1], found, best)
		}
		if area := number(t, row[4]) / float64(width); found < area*(1-1e-9) {
			t.Errorf("%s: bound %v below the area bound %v", row[1], found, area)
		}
	}
}
