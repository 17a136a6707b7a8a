package proof_test

import (
	"context"
	"fmt"
	"log"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// A certificate is verified against its instance. Here job 0, of length 4, proves that no makespan is below 4, and not that none is below 5.
func ExampleCheck() {
	in, err := model.NewBuilder("two").
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).
		Job(model.JobSpec{ID: "long", Work: new(4.0)}, model.JobSpec{ID: "short", Work: new(1.0)}).Build()
	if err != nil {
		log.Fatal(err)
	}
	for _, bound := range []float64{4, 5} {
		report := proof.Check(context.Background(), in, &proof.Certificate{
			Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: map[string]float64{"makespan": 1}, Bound: model.ProvedBound(bound),
			Parts: []proof.Part{{Metric: "makespan", Bound: bound, Method: "alone", By: &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}}},
		})
		fmt.Println(bound, report.Verdict)
	}
	// Output:
	// 4 verified
	// 5 refuted
}
