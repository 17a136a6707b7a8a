package solvers_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
)

// workedQueues is the worked instance of the specification of G/G/1 allocation: T = 10, X given directly.
func workedQueues(t testing.TB, rate float64) *model.Builder {
	t.Helper()
	b := model.NewBuilder("worked").Minimise("qos_penalty", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: 10, Charge: "response"}
	for _, m := range []struct {
		id                                 string
		speed, cost, mu, arrivals, service float64
	}{{"R1", 10000, 0.2, 0.5, 6, 2}, {"R2", 5000, 0.1, 0.25, 8, 8}} {
		b.Cluster(model.ClusterSpec{ID: m.id, Machines: []model.MachineSpec{{ID: "m", Speed: m.speed, Cost: m.cost,
			Queue: &model.QueueSpec{ServiceRate: m.mu, ArrivalVariance: &m.arrivals, ServiceVariance: &m.service}}}})
	}
	for k, j := range [][3]float64{{20000, 4, 0.5}, {30000, 8, 1}, {10000, 5, 0.4}} {
		b.Job(model.JobSpec{ID: fmt.Sprint("t", k+1), Work: &j[0], Deadline: &j[1], Budget: &j[2]})
	}
	return b
}
