package openb_test

import (
	"fmt"
	"log"

	"github.com/allot-opt/allot/formats/openb"
	"github.com/allot-opt/allot/model"
)

// Pods in random order that ask for 130 % of the GPUs, as in the published experiment.
func Example() {
	reader := openb.NewReader()
	reader.Nodes, reader.Fill, reader.Seed = "../../data/openb/nodes.csv.gz", 1.3, 42
	pods, err := model.Open("../../data/openb/pods_default.csv.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer pods.Close()
	in, _, err := reader.Read(pods, "pods_default.csv")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(in.Clusters()[0].Machines), "nodes,", in.Features())
	// Output:
	// 1213 nodes, hard deadlines, memory limits, stated run times, resources of machines
}
