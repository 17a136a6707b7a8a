package slurm

import "strings"

// places are where the fields of an object are read into, by name: a *number, *string, *[]string or *bool; an inside; or a function that reads the value.
type places map[string]any

// inside are the fields of an object within the object. A value of another kind is passed over.
type inside places

// fields reads an object into places. It skips the fields that have none.
func (d *decoder) fields(expected string, into places) error {
	return d.object(expected, func(name string) error { return d.into(into[name]) })
}

// into reads the value of a field into its place; nil: it skips the value.
func (d *decoder) into(place any) error {
	switch place := place.(type) {
	case *number:
		return d.number(place)
	case *string:
		return d.text(place)
	case *[]string:
		return d.words(place)
	case *bool:
		return d.boolean(place)
	case func() error:
		return place()
	case inside:
		if d.json.PeekKind() == '{' {
			return d.fields("an object", places(place))
		}
	}
	return d.json.SkipValue()
}

// jobFields are the fields of a job.
func jobFields(d *decoder, j *job) places {
	var s share
	share := places{"name": &s.node, "nodename": &s.node, "cpus": inside{"count": &s.cpus}, "memory": inside{"allocated": &s.memory}, "memory_allocated": &s.memory,
		"sockets": func() error { return d.allocated(&s.cores) }}
	allocation := func() error {
		return d.array("a list", func() error {
			s.node, s.cpus, s.memory, s.cores = "", number{}, number{}, 0
			err := d.fields("an object", share)
			j.shares = append(j.shares, s)
			return err
		})
	}
	return places{
		"job_id": &j.id, "array_job_id": &j.arrayID, "array_task_id": &j.taskID, "array_max_tasks": &j.atOnce, "array_task_string": &j.taskList,
		"job_state": &j.states, "state_reason": &j.reason, "name": &j.name, "user_name": &j.user, "user_id": &j.userID, "group_name": &j.group,
		"account": &j.account, "partition": &j.partition, "cpus": &j.cpus, "tasks": &j.tasks, "cpus_per_task": &j.perTask,
		"node_count": &j.nodes, "max_nodes": &j.mostNodes, "memory_per_cpu": &j.memoryCPU, "memory_per_node": &j.memoryNode,
		"time_limit": &j.limit, "submit_time": &j.submit, "start_time": &j.start, "end_time": &j.end, "eligible_time": &j.eligible,
		"last_sched_evaluation": &j.evaluated, "deadline": &j.deadline, "priority": &j.priority, "het_job_id": &j.het, "hold": &j.hold,
		"dependency": &j.dependency, "licenses": &j.licences, "nodes": &j.on, "required_nodes": &j.mustUse, "excluded_nodes": &j.mustAvoid,
		"features": &j.features, "resv_name": &j.reservation, "shared": &j.sharing, "exclusive": &j.sharing,
		"tres_req_str": &j.requested, "tres_alloc_str": &j.allocated, "tres_per_node": &j.perNode, "tres_per_task": &j.perTaskGres, "tres_per_job": &j.perJob,
		"tres_per_socket": &j.perSocket, "tasks_per_tres": &j.tasksOfGres, "tasks_per_node": &j.tasksPerNode, "minimum_cpus_per_node": &j.leastCPUs,
		"time_minimum": &j.shortest, "contiguous": &j.contiguous, "qos": &j.qos, "gres_detail": &j.detail,
		"burst_buffer": &j.burst, "prefer": &j.prefers, "reboot": &j.boots, "core_spec": &j.coresKept, "thread_spec": &j.threadsKept,
		"tasks_per_core": &j.tasksPerCore, "tasks_per_socket": &j.tasksPerSock, "cores_per_socket": &j.coresPerSock, "threads_per_core": &j.threadsOfCore,
		"sockets_per_node": &j.socketsOfNode, "minimum_tmp_disk_per_node": &j.disk, "required_switches": &j.switches, "segment_size": &j.segment,
		"priority_by_partition": func() error {
			if d.json.PeekKind() != '[' {
				return d.json.SkipValue()
			}
			return d.array("a list", func() error {
				var n number
				err := d.into(inside{"priority": &n})
				j.priorities = append(j.priorities, n)
				return err
			})
		},
		// What a running job holds on each node; up to 23.02 in a list of another name.
		"job_resources": inside{"nodes": inside{"allocation": allocation}, "allocated_nodes": allocation},
	}
}

// allocated counts the texts in a value that say that a core is allocated.
func (d *decoder) allocated(n *int) error {
	switch d.json.PeekKind() {
	case '{':
		return d.object("an object", func(string) error { return d.allocated(n) })
	case '[':
		return d.array("a list", func() error { return d.allocated(n) })
	case '"':
		var state string
		err := d.text(&state)
		if strings.HasPrefix(strings.ToUpper(state), "ALLOCATED") {
			*n++
		}
		return err
	}
	return d.json.SkipValue()
}

// nodeFields are the fields of a node.
func nodeFields(_ *decoder, n *node) places {
	return places{
		"name": &n.name, "cpus": &n.cpus, "effective_cpus": &n.effective, "cpus_effective": &n.effective, "real_memory": &n.memory,
		"specialized_memory": &n.special, //nolint:misspell // Slurm's spelling
		"state":              &n.states, "state_flags": &n.flags, "partitions": &n.partitions, "gres": &n.resources,
		"active_features": &n.features, "threads": &n.threads, "weight": &n.weight,
	}
}

// partitionFields are the fields of a partition.
func partitionFields(d *decoder, p *partition) places {
	nodes := func() error {
		if d.json.PeekKind() == '"' {
			return d.text(&p.nodes)
		}
		return d.into(inside{"configured": &p.nodes})
	}
	return places{
		"name": &p.name, "nodes": nodes, "max_time_limit": &p.limit, "default_time_limit": &p.usualTime, "max_nodes_per_job": &p.nodesMost,
		"defaults": inside{"time": &p.usualTime},
		"maximums": inside{"time": &p.limit, "shares": &p.share, "nodes": &p.nodesMost, "cpus_per_node": &p.cpusMost, "cpus_per_socket": &p.socketMost, "oversubscribe": inside{"jobs": &p.share}},
		"priority": inside{"tier": &p.tier}, "partition": inside{"state": &p.state}, "qos": inside{"assigned": &p.qos},
	}
}

// reservationFields are the fields of a reservation.
func reservationFields(_ *decoder, r *reservation) places {
	return places{"name": &r.name, "start_time": &r.start, "end_time": &r.end, "node_list": &r.nodes, "core_count": &r.cores, "licenses": &r.licences, "flags": &r.flags}
}

// licenceFields are the fields of a licence.
func licenceFields(_ *decoder, l *licence) places {
	return places{"LicenseName": &l.name, "name": &l.name, "Total": &l.total, "total": &l.total}
}
