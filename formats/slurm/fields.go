package slurm

// readJob reads a field of a job.
func readJob(d *decoder, j *job, name string) error {
	if n := j.numberNamed(name); n != nil {
		return d.number(n)
	}
	if text := j.textNamed(name); text != nil {
		return d.text(text)
	}
	switch name {
	case "job_state":
		return d.words(&j.states)
	case "shared", "exclusive":
		return d.words(&j.sharing)
	case "hold":
		return d.boolean(&j.hold)
	case "job_resources":
		return readResources(d, j)
	}
	return d.json.SkipValue()
}

// numberNamed is the number that a field of a job is read into; nil: none.
func (j *job) numberNamed(name string) *number {
	switch name {
	case "job_id":
		return &j.id
	case "array_job_id":
		return &j.arrayID
	case "array_task_id":
		return &j.taskID
	case "array_max_tasks":
		return &j.atOnce
	case "cpus":
		return &j.cpus
	case "tasks":
		return &j.tasks
	case "cpus_per_task":
		return &j.perTask
	case "node_count":
		return &j.nodes
	case "max_nodes":
		return &j.mostNodes
	case "memory_per_cpu":
		return &j.memoryCPU
	case "memory_per_node":
		return &j.memoryNode
	case "time_limit":
		return &j.limit
	case "submit_time":
		return &j.submit
	case "start_time":
		return &j.start
	case "end_time":
		return &j.end
	case "eligible_time":
		return &j.eligible
	case "last_sched_evaluation":
		return &j.evaluated
	case "deadline":
		return &j.deadline
	case "priority":
		return &j.priority
	case "het_job_id":
		return &j.het
	}
	return nil
}

// textNamed is the text that a field of a job is read into; nil: none.
func (j *job) textNamed(name string) *string {
	switch name {
	case "array_task_string":
		return &j.taskList
	case "state_reason":
		return &j.reason
	case "name":
		return &j.name
	case "user_name":
		return &j.user
	case "user_id":
		return &j.userID
	case "group_name":
		return &j.group
	case "account":
		return &j.account
	case "partition":
		return &j.partition
	case "dependency":
		return &j.dependency
	case "licenses":
		return &j.licences
	case "nodes":
		return &j.on
	case "required_nodes":
		return &j.mustUse
	case "excluded_nodes":
		return &j.mustAvoid
	case "features":
		return &j.features
	case "resv_name":
		return &j.reservation
	case "tres_req_str":
		return &j.requested
	case "tres_alloc_str":
		return &j.allocated
	case "tres_per_node":
		return &j.perNode
	}
	return nil
}

// readResources reads what a running job holds on each node, which is told from 24.05 on.
func readResources(d *decoder, j *job) error {
	if d.json.PeekKind() != '{' {
		return d.json.SkipValue() // null: it does not run
	}
	return d.object("an object", func(name string) error {
		if name != "nodes" || d.json.PeekKind() != '{' {
			return d.json.SkipValue()
		}
		return d.object("an object", func(name string) error {
			if name != "allocation" {
				return d.json.SkipValue()
			}
			return d.array("a list", func() error {
				var s share
				err := d.object("an object", func(name string) error {
					switch name {
					case "name":
						return d.text(&s.node)
					case "cpus":
						return d.object("an object", func(name string) error {
							if name == "count" {
								return d.number(&s.cpus)
							}
							return d.json.SkipValue()
						})
					}
					return d.json.SkipValue()
				})
				j.shares = append(j.shares, s)
				return err
			})
		})
	})
}

// readNode reads a field of a node.
func readNode(d *decoder, n *node, name string) error {
	switch name {
	case "name":
		return d.text(&n.name)
	case "cpus":
		return d.number(&n.cpus)
	case "effective_cpus", "cpus_effective":
		return d.number(&n.effective)
	case "real_memory":
		return d.number(&n.memory)
	case "specialized_memory": //nolint:misspell // Slurm's spelling
		return d.number(&n.special)
	case "state":
		return d.words(&n.states)
	case "state_flags":
		return d.words(&n.flags)
	case "partitions":
		return d.words(&n.partitions)
	case "gres":
		return d.text(&n.resources)
	}
	return d.json.SkipValue()
}

// readPartition reads a field of a partition.
func readPartition(d *decoder, p *partition, name string) error {
	inside := func(field string, read func() error) error {
		if d.json.PeekKind() != '{' {
			return d.json.SkipValue()
		}
		return d.object("an object", func(name string) error {
			if name == field {
				return read()
			}
			return d.json.SkipValue()
		})
	}
	switch name {
	case "name":
		return d.text(&p.name)
	case "nodes":
		if d.json.PeekKind() == '"' {
			return d.text(&p.nodes)
		}
		return inside("configured", func() error { return d.text(&p.nodes) })
	case "max_time_limit":
		return d.number(&p.limit)
	case "maximums":
		if d.json.PeekKind() != '{' {
			return d.json.SkipValue()
		}
		return d.object("an object", func(name string) error {
			switch name {
			case "time":
				return d.number(&p.limit)
			case "shares":
				return d.number(&p.share)
			}
			return d.json.SkipValue()
		})
	case "priority":
		return inside("tier", func() error { return d.number(&p.tier) })
	case "partition":
		return inside("state", func() error { return d.words(&p.state) })
	}
	return d.json.SkipValue()
}

// readReservation reads a field of a reservation.
func readReservation(d *decoder, r *reservation, name string) error {
	switch name {
	case "name":
		return d.text(&r.name)
	case "start_time":
		return d.number(&r.start)
	case "end_time":
		return d.number(&r.end)
	case "node_list":
		return d.text(&r.nodes)
	case "node_count":
		return d.number(&r.count)
	}
	return d.json.SkipValue()
}

// readLicence reads a field of a licence.
func readLicence(d *decoder, l *licence, name string) error {
	switch name {
	case "LicenseName", "name":
		return d.text(&l.name)
	case "Total", "total":
		return d.number(&l.total)
	}
	return d.json.SkipValue()
}
