package model

import (
	"fmt"
	"maps"
	"slices"
)

// figures checks what the solution states of itself.
func (c *checker) figures() {
	sol := c.sol
	for _, name := range slices.Sorted(maps.Keys(sol.Metrics)) {
		c.metric(name, sol.Metrics[name])
	}
	found := c.report.Objective
	if sol.Objective != nil && differs(*sol.Objective, found, c.report.Rounding) {
		c.report.add(Violation{Code: codeWrongObjective, Message: fmt.Sprintf("stated %v, found %v", *sol.Objective, found)})
	}
	owed := c.in.Owed(sol)
	switch {
	case sol.Status == Infeasible:
	case sol.Owed > owed && c.report.OK():
		c.report.add(Violation{Code: codeWrongBound, Message: fmt.Sprintf("stated that every schedule owes at least %d of the jobs, and this one owes %d", sol.Owed, owed)})
	// Where nothing is placed, there is no schedule whose objective the bound would be of. Of one that owes more it says nothing.
	case len(sol.Jobs) > 0 && sol.Owed >= owed && c.report.Refutes(sol.Bound):
		c.report.add(Violation{Code: codeWrongBound, Message: fmt.Sprintf("the lower bound %v is above the objective %v", sol.Bound, found)})
	}
	c.status(owed)
}

// checkInstance checks that the solution was made for the instance.
func checkInstance(in *Instance, sol *Solution, report *Report) {
	if sol.InstanceSHA256 != "" && sol.InstanceSHA256 != in.SHA256() {
		report.add(Violation{Code: CodeWrongInstance, Message: fmt.Sprintf("made for an instance of SHA-256 %s, this one has %s", shown(sol.InstanceSHA256), in.SHA256())})
	}
}

// metric checks one stated metric.
func (c *checker) metric(name string, stated MetricValue) {
	found, ok := c.report.Metrics[name]
	m, known := MetricNamed(name)
	wrong := func(cluster, format string, args ...any) {
		c.report.add(Violation{Code: codeWrongMetric, Cluster: cluster, Resource: name, Message: fmt.Sprintf(format, args...)})
	}
	switch {
	case !known:
		wrong("", "there is no such metric")
	case !ok:
		wrong("", "stated, and not finite for this solution")
	case m.PerCluster != (stated.ByCluster != nil):
		wrong("", "expected a number a cluster for a metric of the clusters, and one number for any other")
	case !m.PerCluster:
		if differs(stated.Total, found.Total, c.evaluation.metricRounding(name)) {
			wrong("", "stated %v, found %v", stated.Total, found.Total)
		}
	default:
		for _, id := range slices.Sorted(maps.Keys(stated.ByCluster)) {
			value, ok := found.ByCluster[id]
			if !ok {
				wrong(id, "the instance has no such cluster")
			} else if differs(stated.ByCluster[id], value, c.evaluation.metricRounding(name)) {
				wrong(id, "stated %v, found %v", stated.ByCluster[id], value)
			}
		}
	}
}

// status checks that the status of a schedule that owes the given number of jobs agrees with the rest.
func (c *checker) status(owed int) {
	sol := c.sol
	wrong := func(message string) {
		c.report.add(Violation{Code: codeWrongStatus, Resource: string(sol.Status), Message: message})
	}
	switch sol.Status {
	case Infeasible:
		if len(sol.Jobs) > 0 {
			wrong("stated infeasible, and jobs are placed")
		}
	case Optimal:
		switch {
		case !sol.Bound.Known():
			wrong("stated optimal without a bound")
		case c.report.OK() && owed > sol.Owed:
			wrong(fmt.Sprintf("stated optimal, and it owes %d of the jobs where a schedule is stated to owe at least %d", owed, sol.Owed))
		case c.report.OK() && !c.report.ProvesWithin(sol.Bound, MostTolerance):
			wrong(fmt.Sprintf("stated optimal, and the lower bound %v does not reach the objective %v", sol.Bound, c.report.Objective))
		}
	}
}
