package dll_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solvers/internal/dll"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// Eq. 6 of He et al. (2004), L = Σ e·s/m, on a of four processors at speed 1 and b of two at speed 2:
//
//	job (work, s)  L of a, b before  goes to  adds e·s/m
//	j0 (8, 2)      0, 0              a        8·2/4 = 4
//	j1 (6, 1)      4, 0              b        3·1/2 = 1.5
//	j2 (8, 2)      4, 1.5            b        4·2/2 = 4
//	j3 (4, 4)      4, 5.5            a        4·4/4 = 4
//	j4 (2, 1)      8, 5.5            b        1·1/2 = 0.5
//	j5 (4, 4)      8, 6              a        4·4/4 = 4, as b is too narrow
//	j6 (10, 1)     12, 6             b        5·1/2 = 2.5
//	j7 (14, 1)     12, 8.5           b        7·1/2 = 3.5
//	j8 (1, 1)      12, 12            a        the first of two that are equal
//
// Neither Σ e·s nor Σ e/m nor Σ s/m nor the ends would send all of them there.
func TestEquation6(t *testing.T) {
	b := model.NewBuilder("eq. 6").Cluster(solvecases.Machines("a", 4, 1), solvecases.Machines("b", 2, 2))
	for k, j := range [][2]int{{8, 2}, {6, 1}, {8, 2}, {4, 4}, {2, 1}, {4, 4}, {10, 1}, {14, 1}, {1, 1}} {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(float64(j[0])), Processors: model.Rigid(j[1])})
	}
	solverstest.Schedules(t, dll.New(), solvecases.Built(t, b), "j0 a:0-1 0-8", "j1 b:0 0-3", "j2 b:0-1 3-7", "j3 a:0-3 8-12", "j4 b:0 7-8",
		"j5 a:0-3 12-16", "j6 b:1 7-12", "j7 b:0 8-15", "j8 a:0 16-17")
}

// With the times on the first cluster b's loads are twice as large: 6·1/2 = 3 and 8·2/2 = 8 in place of 1.5 and 4. So j4 goes to a.
//
//	job (work, s)  L of a, b before  goes to  adds e·s/m
//	j0 (8, 2)      0, 0              a        8·2/4 = 4
//	j1 (6, 1)      4, 0              b        6·1/2 = 3
//	j2 (8, 2)      4, 3              b        8·2/2 = 8
//	j3 (4, 4)      4, 11             a        4·4/4 = 4
//	j4 (2, 1)      8, 11             a        2·1/4 = 0.5
func TestEquation6WithTimesOfTheFirstCluster(t *testing.T) {
	b := model.NewBuilder("eq. 6").Cluster(solvecases.Machines("a", 4, 1), solvecases.Machines("b", 2, 2))
	for k, j := range [][2]int{{8, 2}, {6, 1}, {8, 2}, {4, 4}, {2, 1}} {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(float64(j[0])), Processors: model.Rigid(j[1])})
	}
	solver := dll.New()
	solver.Times = "first"
	solverstest.Schedules(t, solver, solvecases.Built(t, b), "j0 a:0-1 0-8", "j1 b:0 0-3", "j2 b:0-1 3-7", "j3 a:0-3 8-12", "j4 a:0 12-14")
}

// The loads start with what is left of held work. At 10, a of four processors has a job of 2 until 16, 6·2/4 = 3, and one of 2 from 16 to 20, 4·2/4 = 2;
// b of two has one of 1 until 17, 7·1/2 = 3.5, and one that is over. So j0 (1 processor, 5 units of work at speed 2) goes to b, 3.5 + 2.5·1/2 =
// 4.75, and j1 too, as a has 5: 4.75 + 1.25 = 6. Then j2 goes to a.
func TestLoadsBeginWithWhatIsHeld(t *testing.T) {
	b := model.NewBuilder("held").Cluster(solvecases.Machines("a", 4, 1), solvecases.Machines("b", 2, 2))
	for k := range 3 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(5.0)})
	}
	whole := solvecases.Built(t, b)
	hold := func(start, end float64, cluster int, processors ...int) model.Hold {
		return model.Hold{Job: &whole.Jobs()[0], Start: start, End: end,
			Pieces: []model.HoldPiece{{Cluster: cluster, Processors: model.Processors(processors...), End: end}}}
	}
	in := whole.Batch([]int{0, 1, 2}, []float64{10, 10, 10}, []model.Hold{
		hold(3, 16, 0, 0, 1), hold(16, 20, 0, 0, 1), hold(9, 17, 1, 0), hold(0, 9, 1, 1)})
	solverstest.Schedules(t, dll.New(), in, "j0 b:1 10-12.5", "j1 b:1 12.5-15", "j2 a:2 10-15")
}
