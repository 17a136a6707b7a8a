package modeltest

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// header draws everything outside clusters, jobs and the objective.
func (d *drawer) header() {
	s := &d.spec
	s.Name = d.text("name")
	if d.chance("units") {
		s.Units = &model.Units{Time: d.text("s"), Work: d.text("MI"), Data: d.text("MB"), Memory: d.text("MB"), Cost: d.text("EUR")}
	}
	s.Weights = d.weights()
	for k := range d.count("user classes", 0, 3) {
		if s.UserClasses == nil {
			s.UserClasses = map[string]float64{}
		}
		s.UserClasses[d.id("class", k)] = d.nonnegative("priority")
	}
	for k := range d.count("workflows", 0, 2) {
		s.Workflows = append(s.Workflows, model.WorkflowSpec{ID: d.id("flow", k), Deadline: d.optional("deadline"), Budget: d.optional("budget")})
	}
	if d.chance("overheads") {
		s.Overheads = d.overheads()
	}
	if d.chance("queueing") {
		s.Queueing = &model.QueueingSpec{
			Rate: d.positiveSometimes("rate"), CV: d.optional("cv"), Period: d.positiveSometimes("period"), K: d.optional("k"),
			Charge: rapid.SampledFrom([]string{"", "response", "service"}).Draw(d.T, "charge"),
		}
	}
	for k := range d.count("licences", 0, 3) {
		d.licences = append(d.licences, d.id("licence", k))
	}
	s.Licences = d.pools()
	d.arrival = d.sometimes("arrival")
	d.bandwidth = d.positiveSometimes("bandwidth")
	d.memory = d.chance("memory limits")
}

// weights draws the weights of cp.
func (d *drawer) weights() *model.WeightsSpec {
	if !d.chance("weights") {
		return nil
	}
	return &model.WeightsSpec{OverDeadline: d.optional("over_deadline"), Makespan: d.optional("makespan"), IdleTime: d.optional("idle_time")}
}

// overheads draws overheads.
func (d *drawer) overheads() *model.Overheads {
	return &model.Overheads{ContextSwitch: d.sometimes("context_switch")}
}

// pools draws copies of some of the licences.
func (d *drawer) pools() map[string]int {
	var pools map[string]int
	for k, id := range d.licences {
		if d.chance(fmt.Sprintf("pool of %d", k)) {
			if pools == nil {
				pools = map[string]int{}
			}
			pools[id] = d.count("copies", 0, 4)
		}
	}
	return pools
}

// objective draws the objective last: the penalty of the queueing view needs a rate.
func (d *drawer) objective() {
	if d.chance("default objective") {
		return
	}
	d.spec.Objective = map[string]float64{}
	for range d.count("metrics", 1, 3) {
		m := rapid.SampledFrom(model.MetricTable()).Draw(d.T, "metric")
		known := d.spec.Queueing != nil && d.spec.Queueing.Rate > 0
		if m.PerCluster || m.Only != "" && !(m.Only == "queueing view" && known) && !d.measures(&m) {
			continue
		}
		weight := d.nonnegative("weight")
		if m.HighBetter {
			weight = -weight
		}
		d.spec.Objective[m.Name] = weight
	}
}
