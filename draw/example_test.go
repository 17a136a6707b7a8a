package draw_test

import (
	"log"
	"os"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/model"
)

// A schedule of three jobs on one cluster, as a Gantt chart for a terminal.
func ExampleGantt() {
	schedule := &model.Solution{Instance: "three jobs", Jobs: []model.Placement{
		{Job: "wide", Cluster: "c1", Processors: model.NewProcessorSet(model.Range{First: 0, Last: 3}), Start: 0, End: 30},
		{Job: "short", Cluster: "c1", Processors: model.Processors(0, 1), Start: 30, End: 50},
		{Job: "long", Cluster: "c1", Processors: model.Processors(2, 3), Start: 30, End: 80},
	}}
	picture, err := draw.Gantt(schedule, draw.GanttOptions{Width: 60})
	if err != nil {
		log.Fatal(err)
	}
	if err := picture.Write(os.Stdout, draw.Text); err != nil {
		log.Fatal(err)
	}
	// Output:
	// three jobs
	// last end 80 · 3 jobs placed
	// c1 · processors 0-3 · 81 % busy
	//   0 │▐wide░░░░░░░░░░░░░░░░▐short▓▓▓▓▓▓▓
	//   1 │▐░░░░░░░░░░░░░░░░░░░░▐▓▓▓▓▓▓▓▓▓▓▓▓
	//   2 │▐░░░░░░░░░░░░░░░░░░░░▐long▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
	//   3 │▐░░░░░░░░░░░░░░░░░░░░▐▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
	//     └┬─────────────┬─────────────┬────────────┬────────────┬
	//      0            20            40           60           80
	//      time
}
