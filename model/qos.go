package model

import (
	"fmt"
	"math"
	"slices"
)

// The G/G/1 view of a schedule: every machine is a server at which jobs arrive at the rate that `loads` gives it. See the paper and the
// specification "G/G/1 workload allocation", eqs. 2, 3, 9–16, 23.
//
// The penalty mixes a bound on the mean wait with a service time at k standard deviations above its mean, as the paper
// does; it is not the quantile of any one distribution.
//
// The view consists of means, so it uses only what is known beforehand: if a job states an estimate, its mean work is the estimate, not the
// work that it later needs. See [Instance.Known].

// server is one machine as a G/G/1 server with the tasks assigned to it.
type server struct {
	cluster, group, machine int
	serviceRate             float64 // μ
	kappa                   float64 // (σA² + σS²)/2
	tasks                   []serverTask
	load                    float64 // λ_r
	period                  float64 // T
	lacks                   float64 // what the rates of all servers lack of λ by rounding, see wait
}

// serverTask is one task on a server.
type serverTask struct {
	job      int
	service  float64 // S, at k standard deviations
	cost     float64 // per time
	deadline float64 // d = deadline − arrival; +Inf: none
	budget   float64 // e; +Inf: none
}

// Wait is W, the Kingman/Marshall upper bound κ·λ/(1 − λ/μ) on the mean wait of a G/G/1 queue with κ = (σA² + σS²)/2
// (eq. 3); +Inf from λ = μ on.
func Wait(kappa, lambda, mu float64) float64 {
	if lambda >= mu {
		return math.Inf(1)
	}
	return kappa * lambda / (1 - lambda/mu)
}

// hasQueueing says whether the instance has a queueing view whose rate and period are known.
func (in *Instance) hasQueueing() bool {
	return in.queueing.Given && in.queueing.Rate > 0 && in.queueing.Period > 0
}

// qosPenalty is eq. 9. Without stated loads each machine has the rate of its tasks, n/T, and the idle rate, the rest of λ, is parked where
// it costs least.
func (e *evaluation) qosPenalty() float64 {
	servers := e.loadedServers()
	sum := 0.0
	for k := range servers {
		sum += servers[k].penalty(e.in.queueing.Charge)
	}
	return sum
}

// loadedServers are the servers with their loads.
func (s *schedule) loadedServers() []server {
	servers := s.servers()
	idle := s.in.queueing.idleRate(s.placedJobs())
	if len(s.sol.Loads) == 0 {
		park(servers, s.in.queueing, idle)
	} else {
		rates := map[[2]string]float64{}
		for _, l := range s.sol.Loads {
			rates[[2]string{l.Cluster, l.Machine}] = l.Rate
		}
		for k := range servers {
			servers[k].load = max(rates[s.in.serverName(&servers[k])], servers[k].least())
		}
	}
	if idle > 0 {
		var sum amount
		sum.add(-s.in.queueing.Rate, 1)
		for k := range servers {
			sum.add(servers[k].load, 1)
		}
		lack := max(0, -sum.value())
		if len(s.sol.Loads) == 0 && slices.ContainsFunc(servers, func(s server) bool { return len(s.tasks) == 0 && s.room() > lack }) {
			lack = 0 // what rounding took while the rate was parked goes where it costs nothing
		}
		for k := range servers {
			servers[k].lacks = lack
		}
	}
	return servers
}

// idleRate is by how much the rate of all arrivals exceeds that of the jobs. An excess of at most [Tolerance] of the rate counts as 0: rates and periods
// are often stated with nine digits.
func (q *Queueing) idleRate(jobs int) float64 {
	idle := q.Rate - float64(jobs)/q.Period
	if idle <= Tolerance*q.Rate {
		return 0
	}
	return idle
}

// least is the rate of the server's tasks, n/T.
func (s *server) least() float64 { return float64(len(s.tasks)) / s.period }

// rateRounding is the rounding error of a stated rate, relative to the rate that it is a part of: four units in the last place.
const rateRounding = 0x1p-50

// nearlyFull is the part of the service rate below which what is left decides the wait, and the rounding of the load with it.
const nearlyFull = 0x1p-10

// wait is W at the server's load. Near the service rate a rounding of the load would decide it, as W grows with 1/(μ − λ_r). There a load that is n/T but
// for rounding is exactly n/T, and what the rates of all servers lack of λ by rounding counts at the server. So no rounding makes a wait shorter than it
// can be.
func (s *server) wait() float64 {
	load, spare := s.load, s.serviceRate-s.load
	if spare >= nearlyFull*s.serviceRate && s.lacks <= 1e-13*spare {
		return Wait(s.kappa, load, s.serviceRate)
	}
	if least := s.least(); load <= least*(1+rateRounding) {
		load, spare = least, math.FMA(s.serviceRate, s.period, -float64(len(s.tasks)))/s.period
	}
	if spare -= s.lacks; !(spare > 0) || load >= s.serviceRate { // n/T, which is rounded, decides what is stable
		return math.Inf(1)
	}
	return s.kappa * load / (spare / s.serviceRate)
}

// serverName is the cluster and the name of the machine.
func (in *Instance) serverName(s *server) [2]string {
	c := &in.clusters[s.cluster]
	return [2]string{c.ID, c.Machines[s.group].Name(s.machine)}
}

// servers lists every machine with the placed jobs whose first processor it holds, in the order of the clusters.
func (s *schedule) servers() []server {
	in := s.in.Known()
	servers := in.idleServers()
	first := make([]int, len(in.clusters))
	for k := len(servers) - 1; k >= 0; k-- {
		first[servers[k].cluster] = k
	}
	for k := range s.parts {
		p := &s.parts[k]
		if !p.first {
			continue
		}
		machine, _ := in.clusters[p.cluster].MachineOf(p.set.Min())
		on := &servers[first[p.cluster]+machine]
		j := &in.jobs[p.job]
		on.tasks = append(on.tasks, serverTask{
			job:      p.job,
			service:  in.Duration(p.job, p.cluster, p.set) * (1 + in.queueing.K*j.WorkCV),
			cost:     in.clusters[p.cluster].CostRate(p.set),
			deadline: j.Deadline - j.Arrival,
			budget:   j.Budget,
		})
	}
	return servers
}

// idleServers lists every machine without tasks, in the order of the clusters.
func (in *Instance) idleServers() []server {
	in = in.Known()
	var servers []server
	for c := range in.clusters {
		for g := range in.clusters[c].Machines {
			for k := range in.clusters[c].Machines[g].Count {
				servers = append(servers, server{cluster: c, group: g, machine: k, period: in.queueing.Period})
			}
		}
	}
	in.serverRates(servers)
	return servers
}

// serverRates sets μ and κ of every server, from its `queue` or by default: μ = speed/mean work, the variance of service
// from the jobs' works and their CVs, the variance of inter-arrival times from the CV at an equal share of λ. None of them counts the input
// and output of jobs, although S does, as the machine is held while they move. The solvers of this objective refuse such jobs; for
// schedules of other solvers state a `queue` that counts them.
func (in *Instance) serverRates(servers []server) {
	mean, variance := in.workMoments()
	gap := float64(len(servers)) / in.queueing.Rate // mean time between arrivals at one server
	for k := range servers {
		s := &servers[k]
		m := &in.clusters[s.cluster].Machines[s.group]
		q := m.Queue
		if q == nil {
			q = &QueueSpec{}
		}
		s.serviceRate = q.ServiceRate
		if s.serviceRate == 0 {
			s.serviceRate = m.Speed / mean
		}
		arrival := valueOr(q.ArrivalVariance, math.Pow(in.queueing.CV*gap, 2))
		service := valueOr(q.ServiceVariance, variance/(m.Speed*m.Speed))
		s.kappa = (arrival + service) / 2
	}
}

// workMoments are the mean and the variance of the total work of a job drawn at random: by the law of total variance, the variance of the
// jobs' means plus the mean of the jobs' own variances, (work_cv·work)².
func (in *Instance) workMoments() (mean, variance float64) {
	n := float64(len(in.jobs))
	for k := range in.jobs {
		mean += in.jobs[k].TotalWork() / n
	}
	for k := range in.jobs {
		work := in.jobs[k].TotalWork()
		d, own := work-mean, in.jobs[k].WorkCV*work
		variance += (d*d + own*own) / n
	}
	return mean, variance
}

// penalty returns the server's share of eq. 9, or +Inf if it has tasks and is not stable.
func (s *server) penalty(charge Charge) float64 {
	if len(s.tasks) == 0 {
		return 0
	}
	wait, sum := s.wait(), 0.0
	if math.IsInf(wait, 1) {
		return wait // not stable (eq. 14), whether or not a task has a limit
	}
	for _, t := range s.tasks {
		_, penalty := t.pays(charge, wait)
		sum += penalty
	}
	return sum
}

// pays is the cost of the task after the wait, and its share of eq. 9.
func (t *serverTask) pays(charge Charge, wait float64) (cost, penalty float64) {
	response, charged := wait+t.service, t.service
	if charge == ChargeResponse {
		charged = response
	}
	if t.cost > 0 { // what costs nothing costs nothing in a wait without end
		cost = t.cost * charged
	}
	return cost, excess(response, t.deadline) + excess(cost, t.budget)
}

// excess is max(0, x − limit)/limit; +Inf where x exceeds a limit that is not positive.
func excess(x, limit float64) float64 {
	switch {
	case x <= limit:
		return 0
	case limit <= 0:
		return math.Inf(1)
	default:
		return (x - limit) / limit
	}
}

// loads checks stated loads: n ≤ T·λ_r and λ_r < μ_r for every machine, and Σ λ_r = λ (eqs. 13–15), each but for [rateRounding]. Without an idle rate
// Σ λ_r is the rate of the jobs, or λ.
func (c *checker) loads() {
	if len(c.sol.Loads) == 0 {
		return
	}
	violation := func(l Load, format string, args ...any) {
		c.report.add(Violation{Code: codeLoads, Cluster: l.Cluster, Resource: l.Machine, Message: fmt.Sprintf(format, args...)})
	}
	if !c.in.hasQueueing() {
		violation(c.sol.Loads[0], "loads are stated for an instance without a queueing view")
		return
	}
	rates := map[[2]string]float64{}
	var sum amount
	for _, l := range c.sol.Loads {
		key := [2]string{l.Cluster, l.Machine}
		if _, twice := rates[key]; twice {
			violation(l, "the load of the machine is stated twice")
		}
		if !(l.Rate >= 0 && isFinite(l.Rate)) {
			violation(l, "expected a finite rate of at least 0, found %v", l.Rate)
		}
		rates[key] = l.Rate
		sum.add(l.Rate, 1)
	}
	q := c.in.queueing
	servers := c.servers()
	for k := range servers {
		s := &servers[k]
		name := c.in.serverName(s)
		rate := rates[name]
		delete(rates, name)
		if rate < s.least()*(1-rateRounding) {
			violation(Load{Cluster: name[0], Machine: name[1]}, "rate %v is less than its %d jobs need, %v", rate, len(s.tasks), s.least())
		}
		// Where rounding puts the stated rate below n/T, n/T decides whether the machine is stable.
		if least := max(rate, s.least()); least >= s.serviceRate {
			violation(Load{Cluster: name[0], Machine: name[1]}, "rate %v is not below the service rate %v", least, s.serviceRate)
		}
	}
	for _, l := range c.sol.Loads {
		if _, unknown := rates[[2]string{l.Cluster, l.Machine}]; unknown {
			violation(l, "the instance has no such machine")
		}
	}
	least := float64(c.placedJobs()) / q.Period
	most := max(q.Rate, least)
	if q.idleRate(c.placedJobs()) > 0 {
		least = most
	}
	rounding := rateRounding * most * float64(len(servers))
	if found := sum.value(); found < least-rounding || found > most+rounding {
		violation(Load{}, "the rates add up to %v, expected %v", found, most)
	}
}

// placedJobs is the number of placed jobs.
func (s *schedule) placedJobs() int {
	n := 0
	for k := range s.partRange {
		if s.isPlaced(k) {
			n++
		}
	}
	return n
}
