package model

import "errors"

// QueueView is the G/G/1 view of a solution: the load of each machine, and the wait and the cost that each placed job can expect there. The
// metric `qos_penalty` is computed from it.
type QueueView struct {
	Machines []QueueMachine  // all, in the order of the instance
	Jobs     []QueueResponse // those placed, in the order of the machines
}

// QueueMachine is a machine as a G/G/1 server.
type QueueMachine struct {
	Cluster, Machine string  // as a [Load] names them
	Group            int     // index of its group of machines in the cluster
	Number           int     // of the machine in its group
	Jobs             int     // placed on it
	Rate             float64 // λ_r; stated by the solution, else n/T and its part of the idle rate
	ServiceRate      float64 // μ
	Kappa            float64 // (σA² + σS²)/2
	Wait             float64 // W, the bound on the mean wait; +Inf from λ_r = μ on
}

// QueueResponse is the wait, the service and the cost that a job can expect.
type QueueResponse struct {
	Job      int     // index into Instance.Jobs
	Machine  int     // index into QueueView.Machines
	Service  float64 // S, at k standard deviations above the mean
	Response float64 // R = W + S
	Cost     float64 // of R, or of S where the instance charges for service
	Penalty  float64 // its share of qos_penalty
}

// Queues returns the queueing view of a solution. With a nil solution it is the view of the machines without jobs. It returns an error if the
// instance has no queueing view, or if a placement names something that is not in the instance.
//
// Complexity: that of [Evaluate].
func Queues(in *Instance, sol *Solution) (QueueView, error) {
	if !in.hasQueueing() {
		return QueueView{}, errors.New("the instance has no queueing view, or no arrival rate and arrivals that do not give one")
	}
	servers := in.idleServers()
	if sol != nil {
		var report Report
		s := resolve(in, sol, &report)
		if len(report.Violations) > 0 {
			return QueueView{}, report.Violations[0]
		}
		servers = s.loadedServers()
	}
	var view QueueView
	for k := range servers {
		s := &servers[k]
		name := in.serverName(s)
		wait := s.wait()
		view.Machines = append(view.Machines, QueueMachine{
			Cluster: name[0], Machine: name[1], Group: s.group, Number: s.machine, Jobs: len(s.tasks),
			Rate: s.load, ServiceRate: s.serviceRate, Kappa: s.kappa, Wait: wait,
		})
		for _, t := range s.tasks {
			cost, penalty := t.pays(in.queueing.Charge, wait)
			view.Jobs = append(view.Jobs, QueueResponse{t.job, k, t.service, wait + t.service, cost, penalty})
		}
	}
	return view, nil
}
