package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// object is a JSON object; the tests write files as any program would.
type object = map[string]any

// draw draws what random instances are made of.
type draw struct{ *rand.Rand }

func (r draw) chance(p float64) bool { return r.Float64() < p }

func (r draw) one(values ...any) any { return values[r.IntN(len(values))] }

func (r draw) number(values ...float64) float64 { return values[r.IntN(len(values))] }

func (r draw) from(low, high int) int { return low + r.IntN(high-low+1) }

// set fills in a field now and then.
func (r draw) set(o object, p float64, name string, value func() any) {
	if r.chance(p) {
		o[name] = value()
	}
}

// instance draws an instance with every feature of the model; the clock begins at clock.
func (r draw) instance(clock float64) object {
	in := object{"schema": "allot/instance/1"}
	r.set(in, 0.4, "licences", func() any { return object{"L": r.from(1, 3)} })
	r.set(in, 0.3, "weights", func() any {
		return object{"over_deadline": r.one(0, 1, 4), "makespan": r.one(0, 1, 3), "idle_time": r.from(0, 1)}
	})
	r.set(in, 0.3, "overheads", func() any { return object{"context_switch": r.one(0.1, 0.01)} })
	r.set(in, 0.25, "queueing", func() any { return object{"rate": r.one(0.5, 2, 5), "charge": r.one("response", "service")} })
	r.set(in, 0.3, "workflows", func() any {
		return []any{object{"id": "w", "deadline": clock + float64(r.from(1, 20)), "budget": r.from(1, 20)}}
	})
	_, licensed := in["licences"]
	var clusters, jobs []any
	for c := range r.from(1, 3) {
		clusters = append(clusters, r.cluster(c, licensed))
	}
	unit := r.one(1.0, 0.1, 1.0/3, 0.25).(float64)
	for j := range r.from(2, 8) {
		jobs = append(jobs, r.job(j, clock, unit, len(clusters), licensed, in["workflows"] != nil))
	}
	in["clusters"], in["jobs"] = clusters, jobs
	r.set(in, 0.6, "objective", func() any {
		return r.one(object{"mcp": 1}, object{"mean_wait": 1, "missed": 2}, object{"makespan": 1, "finished": 0.5}, object{"cost": 1, "over_deadline": 2},
			object{"utilisation": 1}, object{"balance": 1}, object{"idle_time": 1, "mean_slowdown": 1}, object{"licence_usage": 1, "processor_usage": 1})
	})
	return in
}

func (r draw) cluster(c int, licensed bool) object {
	cluster := object{"id": fmt.Sprint("c", c)}
	r.set(cluster, 0.2, "allocation", func() any { return "machine" })
	r.set(cluster, 0.2, "weights", func() any { return object{"over_deadline": 2, "makespan": 1} })
	r.set(cluster, 0.25, "network", func() any { return object{"latency": 0.01, "bandwidth": r.one(1, 12.5)} })
	r.set(cluster, 0.2, "overheads", func() any { return object{"context_switch": 0.05} })
	if licensed {
		r.set(cluster, 0.35, "licences", func() any { return object{"L": r.from(0, 2)} })
	}
	var machines []any
	for m := range r.from(1, 2) {
		machine := object{"id": fmt.Sprint("m", m)}
		r.set(machine, 0.6, "count", func() any { return r.from(1, 3) })
		r.set(machine, 0.5, "processors", func() any { return r.from(1, 4) })
		r.set(machine, 0.4, "speed", func() any { return r.one(0.5, 1.3, 2, 3) })
		r.set(machine, 0.4, "memory", func() any { return r.one(1, 2, 0.3, 4) })
		r.set(machine, 0.5, "bandwidth", func() any { return r.one(1, 2.5, 10) })
		r.set(machine, 0.5, "cost", func() any { return r.one(0.1, 0.3, 1) })
		r.set(machine, 0.1, "background", func() any { return object{"load": r.one(0, 0.2), "mean": 1} })
		r.set(machine, 0.1, "queue", func() any { return object{"service_rate": r.one(0.5, 2, 9)} })
		if licensed {
			r.set(machine, 0.15, "licences", func() any { return r.one([]any{}, []any{"L"}) })
		}
		machines = append(machines, machine)
	}
	cluster["machines"] = machines
	return cluster
}

func (r draw) job(j int, clock, unit float64, clusters int, licensed, workflow bool) object {
	steps := func(low, high int) float64 { return unit * float64(r.from(low, high)) }
	job := object{"id": fmt.Sprint("j", j), "arrival": clock + unit*float64(r.IntN(6))*float64(r.IntN(2)), "work": steps(0, 12)}
	if r.chance(0.25) {
		delete(job, "work")
		times := object{"c0": steps(0, 9)}
		for c := 1; c < clusters; c++ {
			r.set(times, 0.5, fmt.Sprint("c", c), func() any { return steps(0, 9) })
		}
		job["runtime"] = times
	}
	switch r.IntN(4) {
	case 0:
		job["processors"] = r.from(1, 4)
	case 1:
		job["processors"] = object{"min": r.from(1, 2), "max": r.from(2, 6)}
	}
	r.set(job, 0.3, "tasks", func() any { return r.from(1, 9) })
	r.set(job, 0.2, "estimate", func() any { return steps(1, 12) })
	r.set(job, 0.2, "work_cv", func() any { return 0.4 })
	r.set(job, 0.4, "span", func() any { return r.one("machine", "grid", "cluster", "grid") })
	r.set(job, 0.5, "memory", func() any { return r.one(0.1, 0.5, 1, 0.7) })
	r.set(job, 0.2, "input", func() any { return r.one(1, 0.3) })
	r.set(job, 0.2, "message", func() any { return 0.5 })
	r.set(job, 0.3, "min_bandwidth", func() any { return r.one(1, 2, 4) })
	r.set(job, 0.4, "deadline", func() any { return clock + steps(1, 30) })
	if job["deadline"] != nil {
		r.set(job, 0.6, "deadline_hard", func() any { return true })
	}
	r.set(job, 0.3, "budget", func() any { return r.one(1, 3, 0.5) })
	if licensed {
		r.set(job, 0.7, "licences", func() any { return object{"L": r.from(0, 2)} })
	}
	if workflow {
		r.set(job, 0.5, "workflow", func() any { return "w" })
	}
	if j > 0 {
		r.set(job, 0.3, "after", func() any { return []any{fmt.Sprint("j", r.IntN(j))} })
	}
	return job
}

// plain draws an instance of rigid jobs on clusters of equal machines, where most kinds of proof apply.
func (r draw) plain(metric string, clock float64) object {
	in := object{"schema": "allot/instance/1", "objective": object{metric: 1}}
	r.set(in, 0.4, "weights", func() any {
		return object{"over_deadline": r.one(0, 1, 4), "makespan": r.one(1, 3), "idle_time": r.from(0, 1)}
	})
	r.set(in, 0.2, "licences", func() any { return object{"L": r.from(1, 2)} })
	var clusters, jobs []any
	most := 1
	for c := range r.from(1, 2) {
		count := r.from(2, 4)
		most = max(most, count)
		clusters = append(clusters, object{"id": fmt.Sprint("c", c), "machines": []any{object{"id": "m", "count": count, "speed": r.one(1, 1, 2, 1.3)}}})
	}
	unit := r.one(1.0, 0.1, 1.0/3, 0.25).(float64)
	for j := range r.from(4, 8) {
		job := object{"id": fmt.Sprint("j", j), "arrival": clock + unit*float64(r.IntN(4)), "work": unit * float64(r.from(1, 12)), "processors": r.from(1, most)}
		r.set(job, 0.5, "deadline", func() any { return clock + unit*float64(r.from(1, 12)) })
		if in["licences"] != nil {
			r.set(job, 0.6, "licences", func() any { return object{"L": 1} })
		}
		if j > 0 {
			r.set(job, 0.2, "after", func() any { return []any{fmt.Sprint("j", r.IntN(j))} })
		}
		jobs = append(jobs, job)
	}
	in["clusters"], in["jobs"] = clusters, jobs
	return in
}

// sum draws an objective of several metrics, of either sign.
func (r draw) sum() object {
	sum := object{}
	for range r.from(1, 3) {
		sum[r.one("makespan", "mcp", "mean_response", "mean_wait", "over_deadline", "missed", "miss_rate", "unfinished", "finished", "data_moved", "work_done", "cost", "over_budget", "workflow_failures",
			"mean_slowdown", "slowdown_without_deadline", "bounded_slowdown", "idle_time", "utilisation").(string)] = r.one(1, 1, 0.5, 1e9, -1)
	}
	return sum
}

// neck draws an instance in which some jobs that arrive later hold all memory, one after another, and have followers. There are processors for all.
func (r draw) neck(clock float64) object {
	unit := r.one(1.0, 0.1, 1.0/3).(float64)
	jobs := []any{object{"id": "early", "arrival": clock, "work": unit}}
	for k := range r.from(2, 4) {
		a, b := fmt.Sprint("a", k), fmt.Sprint("b", k)
		jobs = append(jobs, object{"id": a, "arrival": clock + 4*unit, "work": unit * float64(r.from(1, 3)), "memory": r.one(0.7, 0.9)}, object{"id": b, "arrival": clock, "work": 3 * unit, "after": []any{a}})
	}
	machine := object{"id": "m", "processors": 9, "memory": 0.9}
	return object{"schema": "allot/instance/1", "objective": object{"makespan": 1}, "clusters": []any{object{"id": "c", "machines": []any{machine}}}, "jobs": jobs}
}

// furnish gives a plain instance memory, costs, budgets, a workflow, data and hard deadlines.
func (r draw) furnish(in object) {
	at := in["jobs"].([]any)[0].(object)["arrival"].(float64)
	in["workflows"] = []any{object{"id": "w", "deadline": at + float64(r.from(1, 12)), "budget": r.from(1, 20)}}
	for _, c := range in["clusters"].([]any) {
		machine := c.(object)["machines"].([]any)[0].(object)
		machine["cost"] = r.one(0.1, 0.3, 1)
		r.set(machine, 0.8, "memory", func() any { return r.one(0.7, 1, 2) })
	}
	for _, j := range in["jobs"].([]any) {
		job := j.(object)
		r.set(job, 0.7, "memory", func() any { return r.one(0.1, 0.7, 0.5) })
		r.set(job, 0.5, "budget", func() any { return r.one(0.3, 1, 3) })
		r.set(job, 0.4, "workflow", func() any { return "w" })
		r.set(job, 0.4, "input", func() any { return r.one(1, 0.3) })
		if job["deadline"] != nil {
			r.set(job, 0.4, "deadline_hard", func() any { return true })
		}
	}
}

// queues draws an instance for the G/G/1 allocation; some are infeasible.
func (r draw) queues() object {
	in := object{"schema": "allot/instance/1", "objective": object{"qos_penalty": 1}, "queueing": object{"rate": r.one(1, 2, 5), "charge": r.one("response", "service")}}
	var machines, jobs []any
	for m := range r.from(1, 2) {
		machines = append(machines, object{"id": fmt.Sprint("m", m), "count": r.from(1, 3), "speed": r.one(1, 2, 3, 0.5), "cost": r.one(0.1, 1, 0)})
	}
	for j := range r.from(3, 9) {
		job := object{"id": fmt.Sprint("j", j), "work": r.one(0.1, 0.5, 1, 0.3)}
		r.set(job, 0.3, "work_cv", func() any { return r.one(0.2, 1) })
		r.set(job, 0.7, "deadline", func() any { return r.one(0.5, 1, 2, 5) })
		r.set(job, 0.5, "budget", func() any { return r.one(0.1, 1, 3) })
		jobs = append(jobs, job)
	}
	in["clusters"], in["jobs"] = []any{object{"id": "c", "machines": machines}}, jobs
	return in
}

// timed draws an instance for the G/G/1 allocation whose times are some units long. Limits are often what a job takes or costs at no wait, or differ from it by
// little, and some machines are nearly full.
func (r draw) timed(unit float64) object {
	jobs, count := []any{}, r.from(2, 5)
	period := unit * float64(count*r.from(1, 3))
	view := object{"rate": float64(count) / period, "period": period}
	r.set(view, 0.5, "charge", func() any { return r.one("response", "service") })
	r.set(view, 0.3, "cv", func() any { return r.one(0, 2) })
	cost, clock := r.number(0.1, 1, 1/unit), unit*r.number(0, 0, 3, 1.7e9)
	near := func(x float64) float64 {
		switch r.IntN(8) {
		case 0:
			return x
		case 1:
			return x * r.number(0.5, 0.7, 2)
		}
		return x * (1 + r.number(1, -1)*math.Ldexp(1+r.Float64(), -r.from(4, 50)))
	}
	speed, limited := func() float64 { return r.number(1, 2, 0.5, 1.3) }, 0.6
	if r.chance(0.6) { // so that the best allocations cost next to nothing
		one := speed()
		speed, limited = func() float64 { return one }, 0.3
	}
	var clusters []any
	for c := range r.from(1, 2) {
		var machines []any
		for m := range r.from(1, 2) {
			queue := object{"service_rate": r.number(1, 2, 0.9) / unit}
			if r.chance(0.3) { // full with some of the jobs, or nearly
				queue["service_rate"] = float64(r.from(1, count)) / period * (1 + math.Ldexp(1, -r.from(2, 40)))
			}
			for _, name := range []string{"arrival_variance", "service_variance"} {
				r.set(queue, 0.8, name, func() any { return r.number(0, 0, max(1e-18, 1e-6*unit*unit), max(1e-18, 0.3*unit*unit)) })
			}
			machine := object{"id": fmt.Sprint("m", m), "count": r.from(1, 2), "speed": speed(), "queue": queue}
			r.set(machine, 0.7, "cost", func() any { return cost })
			machines = append(machines, machine)
		}
		clusters = append(clusters, object{"id": fmt.Sprint("c", c), "machines": machines})
	}
	for j := range count {
		length := unit * r.number(1, 0.5, 3, 0.7)
		job := object{"id": fmt.Sprint("j", j), "work": length, "arrival": clock + unit*float64(r.from(0, 4))}
		at := job["arrival"].(float64)
		r.set(job, 0.2, "work_cv", func() any { return 0.2 })
		r.set(job, limited, "deadline", func() any { return at + near(length/speed()) })
		r.set(job, limited, "budget", func() any { return near(cost * length / speed()) })
		jobs = append(jobs, job)
	}
	return object{"schema": "allot/instance/1", "objective": object{"qos_penalty": 1}, "queueing": view, "clusters": clusters, "jobs": jobs}
}

// prices draws jobs of one machine with states under prices by the interval, some below 0.
func (r draw) prices() object {
	unit, begin, intervals := r.number(1, 0.5, 900), r.from(0, 3), r.from(18, 40)
	at := func(interval int) float64 { return unit * float64(begin+interval) }
	span := intervals // that a list fills
	if r.chance(0.3) {
		span = r.from(3, 12)
	}
	list := func(least int) []any {
		var pairs []any
		add := func(time float64) { pairs = append(pairs, []any{time, float64(r.from(least, 9)) / r.number(1, 4, 10)}) }
		if begin > 0 && r.chance(0.3) { // a time before the horizon need be no multiple of the interval
			add(at(0) - 0.3*unit)
		}
		for t := 0; t < span; t += r.from(1, 4) {
			add(at(t))
		}
		if r.chance(0.3) && span == intervals {
			add(at(intervals) + 0.7*unit)
		}
		return pairs
	}
	tariff := object{"price": list(r.from(-2, 1)), "carbon": list(0)}
	r.set(tariff, 0.4, "per", func() any { return r.one(2, 3.6, 1000) })
	if span < intervals {
		tariff["period"] = unit * float64(span+r.from(1, 3))
	} else {
		r.set(tariff, 0.3, "period", func() any { return unit * float64(intervals+r.from(2, 5)) })
	}
	machine := object{"id": "m"}
	power := object{"idle": r.from(0, 4), "busy": r.from(0, 5)}
	var off []any
	for k := range r.from(0, 2) {
		way := func() object { return object{"time": unit * float64(r.from(0, 2)), "power": r.from(0, 5)} }
		off = append(off, object{"name": fmt.Sprint("off", k), "power": r.from(0, 1), "down": way(), "up": way()})
	}
	if off != nil {
		power["off"] = off
		r.set(power, 0.5, "begin", func() any { return "off0" })
		r.set(power, 0.5, "end", func() any { return "off0" })
	}
	machine["power"] = power
	var jobs []any
	for k := range r.from(1, 6) {
		jobs = append(jobs, object{"id": fmt.Sprint("j", k), "work": unit * float64(r.from(0, 3))})
	}
	return object{"schema": "allot/instance/1", "objective": object{r.one("energy", "energy_cost", "carbon").(string): 1}, "tariff": tariff,
		"horizon": object{"from": at(0), "to": at(intervals)}, "clusters": []any{object{"id": "c", "machines": []any{machine}}}, "jobs": jobs}
}

// shifted moves a time, often by very little.
func (r draw) shifted(t float64) float64 {
	return max(0, []float64{t + 1e-9, t - 1e-9, math.Nextafter(t, math.Inf(1)), math.Nextafter(t, 0), t + 1, t - 1, 0, t * 2, t * (1 - 3e-9), t + 1e-5}[r.IntN(10)])
}

// spoil changes a solution, so that it often breaks a rule.
func (r draw) spoil(in, sol object) {
	jobs, _ := sol["jobs"].([]any)
	if len(jobs) == 0 {
		sol["status"] = r.one("optimal", "infeasible", "feasible")
		return
	}
	k := r.IntN(len(jobs))
	p := jobs[k].(object)
	part := p
	if pieces, ok := p["pieces"].([]any); ok {
		part = pieces[r.IntN(len(pieces))].(object)
	}
	cost := sol["objective"]
	if r.chance(0.7) {
		delete(sol, "metrics")
		delete(sol, "objective")
	}
	delete(sol, "bound")
	switch r.IntN(24) {
	case 0:
		p["start"] = r.shifted(p["start"].(float64))
	case 1:
		p["end"] = r.shifted(p["end"].(float64))
	case 2:
		by := r.one(1.0, -1.0, 50.0, 1e-9).(float64)
		p["start"], p["end"] = max(0, p["start"].(float64)+by), max(0, p["end"].(float64)+by)
	case 3:
		part["processors"] = r.one("0", "1", "0-1", "0-2", "3", "0-99", "1,0", "2-1", "")
	case 4:
		part["cluster"] = r.one("c0", "c1", "c2", "c0", "c1", "nowhere")
	case 5:
		sol["jobs"] = append(jobs, object{"job": p["job"], "cluster": "c0", "processors": "0", "start": 0, "end": 1})
	case 6:
		sol["jobs"] = append(jobs[:k:k], jobs[k+1:]...)
	case 7:
		left, _ := sol["unscheduled"].([]any)
		sol["unscheduled"] = append(left, object{"job": r.one(p["job"], "nobody", p["job"]), "reason": "a test"})
	case 8:
		if metrics, ok := sol["metrics"].(object); ok {
			name := r.one("makespan", "mcp", "mean_wait", "utilisation", "idle_time", "processor_usage", "balance", "cost", "mean_partition").(string)
			metrics[name] = metrics[name].(float64)*r.one(1+1e-8, 1-1e-8, 1+1e-11, 2.0).(float64) + r.one(0.0, 0.0, 1e-6).(float64)
		}
	case 9:
		sol["objective"] = r.one(0, 1, 1e9, -1)
	case 10:
		objective, _ := in["objective"].(object)
		if cost, ok := cost.(float64); ok && (objective == nil || objective["mcp"] != nil || objective["cost"] != nil) {
			sol["bound"] = cost + r.one(-1.0, 1.0, 2.0).(float64)
		}
	case 11:
		sol["status"] = r.one("infeasible", "optimal", "feasible")
		delete(sol, "bound")
	case 12:
		sol["instance_sha256"] = "00"
	case 13:
		part["end"] = r.shifted(part["end"].(float64))
	case 14:
		if part["tasks"] != nil {
			part["tasks"] = part["tasks"].(float64) + 1
		}
		p["end"] = part["start"]
	case 15:
		r.split(in, p)
	case 16:
		delete(sol, "metrics") // no rule says what wrong loads cost
		sol["loads"] = []any{object{"cluster": "c0", "machine": r.one("m0", "m0[0]", "m9"), "rate": r.one(0, 0.5, 2, 5)}}
	case 17:
		sol["minimised"] = r.one(object{"makespan": 1}, object{"mcp": 2}, object{"cp": 1}, object{"finished": 1})
	case 18, 19, 20, 21:
		part["cluster"], part["processors"] = r.one("c0", "c1"), r.one("0", "1", "2", "0-1")
	default: // beside another job, which may need the same memory or copies
		other := jobs[r.IntN(len(jobs))].(object)
		if p["pieces"] == nil {
			length := p["end"].(float64) - p["start"].(float64)
			p["start"], p["end"] = other["start"], other["start"].(float64)+length
		}
	}
}

// split cuts a placement of one piece into two.
func (r draw) split(in, p object) {
	if p["pieces"] != nil {
		return
	}
	tasks := 1
	for _, j := range in["jobs"].([]any) {
		if j := j.(object); j["id"] == p["job"] {
			if t, ok := j["tasks"].(int); ok {
				tasks = t
			} else if t, ok := j["processors"].(int); ok {
				tasks = t
			}
		}
	}
	first := r.from(1, tasks)
	piece := func(tasks int) any {
		return object{"cluster": r.one("c0", "c1", p["cluster"]), "processors": r.one("0", "0-1", "1", "2-3"), "tasks": max(1, tasks), "start": p["start"], "end": p["end"]}
	}
	p["pieces"] = []any{piece(first), piece(tasks - first)}
	if r.chance(0.8) {
		delete(p, "cluster")
		delete(p, "processors")
	}
}

// damage changes a certificate, most often so that it claims too much.
func (r draw) damage(c object) {
	parts, _ := c["parts"].([]any)
	if len(parts) > 0 && r.chance(0.4) {
		part := parts[0].(object)
		f := r.one(1+1e-9, 1+1e-6, 1.001, 1.05, 1.3, 0.9).(float64)
		part["bound"] = part["bound"].(float64) * f
		if bound, ok := c["bound"].(float64); ok {
			c["bound"] = bound * f
		}
		return
	}
	var places []func()
	collect(c, r, &places)
	if len(places) > 0 {
		places[r.IntN(len(places))]()
	}
}

// collect finds every change of one number, list or object.
func collect(v any, r draw, places *[]func()) {
	change := func(at any, put func(any)) {
		switch at := at.(type) {
		case float64:
			*places = append(*places, func() {
				if at == math.Trunc(at) && at >= 0 {
					put(r.one(at+1, max(0, at-1), 0.0))
				} else {
					put(at * r.one(1+1e-6, 1.2, 0.8, 1.001, -1.0).(float64))
				}
			})
		case []any:
			*places = append(*places, func() {
				if len(at) > 0 {
					k := r.IntN(len(at))
					put(r.one(append(at[:k:k], at[k+1:]...), append(at[:len(at):len(at)], at[k])))
				}
			})
		}
		collect(at, r, places)
	}
	switch v := v.(type) {
	case object:
		for _, name := range sorted(v) {
			change(v[name], func(x any) { v[name] = x })
			if name == "by" || name == "split" || name == "step" || name == "not_certified" {
				*places = append(*places, func() { delete(v, name) })
			}
		}
	case []any:
		for k := range v {
			change(v[k], func(x any) { v[k] = x })
		}
	}
}

// askOfNodes adds one field of nodes to the instance, as docs/rules.md lists them.
func (r draw) askOfNodes(in object) {
	machine := func() object {
		clusters := in["clusters"].([]any)
		machines := clusters[r.IntN(len(clusters))].(object)["machines"].([]any)
		return machines[r.IntN(len(machines))].(object)
	}
	job := func() object {
		jobs := in["jobs"].([]any)
		return jobs[r.IntN(len(jobs))].(object)
	}
	switch r.IntN(6) {
	case 0:
		in["devices"] = []any{"gpu"}
		machine()["resources"] = object{"gpu": 2}
		job()["resources"] = object{"gpu": r.number(0.5, 1)}
	case 1:
		machine()["resources"] = object{"disk": 1.5}
		job()["resources"] = object{"disk": 1}
	case 2:
		machine()["features"] = []any{"fast"}
		job()["features"] = []any{[]any{"fast"}}
	case 3:
		machine()["closed"] = []any{object{"from": 1, "to": 3}}
	case 4:
		job()["exclusive"] = true
	case 5:
		job()["machines"] = 1
	}
}
