package slurm

import (
	"io"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model/internal/lines"
)

// document is what one file says. A list that is nil is not in the file.
type document struct {
	faults       *lines.Faults
	version      string // such as 22.05.8; empty: the file does not say
	updated      number // Unix time of the last change, where the file says it
	told         string // the first error that Slurm itself reports in the file
	jobs         []job
	nodes        []node
	partitions   []partition
	reservations []reservation
	licences     []licence
	summary      bool // sinfo's list of groups of nodes, which is no list of nodes
}

// job is a job as Slurm states it, or a pending array.
type job struct {
	id, arrayID, taskID, atOnce number
	taskList                    string
	states                      []string
	reason                      string
	name, user, group, account  string
	userID                      string
	partition                   string
	cpus, tasks, perTask        number // processors, tasks and processors of a task
	nodes, mostNodes            number
	memoryCPU, memoryNode       number // MB
	limit                       number // minutes
	submit, start, end          number // Unix time, as are the others
	eligible, evaluated         number
	deadline                    number
	priority, het               number
	hold                        bool
	dependency, licences        string
	on                          string // hostlist of the nodes that it runs on
	mustUse, mustAvoid          string
	features, reservation       string
	sharing                     []string
	requested, allocated        string // TRES
	perNode                     string
	shares                      []share
}

// share is what a running job holds on one node.
type share struct {
	node string
	cpus number
}

// node is a node as Slurm states it.
type node struct {
	name            string
	cpus, effective number
	memory, special number // MB
	states, flags   []string
	partitions      []string
	resources       string // generic resources, such as gpu:h100:4
}

// partition is a partition as Slurm states it.
type partition struct {
	name  string
	nodes string // hostlist
	limit number // minutes
	tier  number
	share number // 0: each job has its nodes alone
	state []string
}

// reservation is a reservation as Slurm states it.
type reservation struct {
	name       string
	start, end number
	nodes      string
	count      number
}

// licence is a licence as Slurm states it.
type licence struct {
	name  string
	total number
}

// readDocument reads the JSON of one command. Lists are told by their keys, whatever the version; what is not known is passed over.
func readDocument(r io.Reader, faults *lines.Faults) *document {
	doc := &document{faults: faults}
	d := newDecoder(r, faults)
	seen := map[string]bool{}
	err := d.object("the JSON object of a Slurm command", func(name string) error {
		if known := doc.member(name); known && seen[name] {
			d.fault("expected the field once, found it again")
			return d.json.SkipValue()
		}
		if len(seen) < 100 {
			seen[name] = true
		}
		return doc.read(d, name)
	})
	if err == nil {
		if _, err = d.json.ReadToken(); err == nil {
			faults.At("", "expected the end of the file after the JSON value")
		} else if err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		d.explain(err)
	}
	return doc
}

// member says that the field of a document is one that is read.
func (doc *document) member(name string) bool {
	switch name {
	case "jobs", "nodes", "sinfo", "partitions", "reservations", "licenses", "meta", "errors", "last_update":
		return true
	}
	return false
}

// read reads a field of the document.
func (doc *document) read(d *decoder, name string) error {
	switch name {
	case "jobs":
		doc.jobs = []job{}
		return readList(d, &doc.jobs, maxJobs, readJob)
	case "nodes":
		doc.nodes = []node{}
		return readList(d, &doc.nodes, maxHosts, readNode)
	case "partitions":
		doc.partitions = []partition{}
		return readList(d, &doc.partitions, maxHosts, readPartition)
	case "reservations":
		doc.reservations = []reservation{}
		return readList(d, &doc.reservations, maxHosts, readReservation)
	case "licenses":
		doc.licences = []licence{}
		return readList(d, &doc.licences, maxHosts, readLicence)
	case "sinfo":
		doc.summary = true
	case "last_update":
		return d.number(&doc.updated)
	case "meta":
		return doc.meta(d)
	case "errors":
		return d.array("a list of errors", func() error { return doc.complaint(d) })
	}
	return d.json.SkipValue()
}

// readList reads a list of at most the given number of objects. Once the list of faults is full, elements are read but not kept.
func readList[T any](d *decoder, list *[]T, most int, read func(d *decoder, element *T, name string) error) error {
	return d.array("a list", func() error {
		var element T
		var seen fieldSet
		err := d.object("an object", func(name string) error {
			if seen.again(name) {
				d.fault("expected the field once, found it again")
				return d.json.SkipValue()
			}
			return read(d, &element, name)
		})
		if len(*list) == most {
			d.fault("expected at most %d elements, found more", most)
			return errEnd
		}
		if !d.faults.Full() {
			*list = append(*list, element)
		}
		return err
	})
}

// fieldSet is the names of the fields of an object. It holds a bounded number of them: no version has more.
type fieldSet struct{ names map[string]bool }

// again says that a name has been there before.
func (s *fieldSet) again(name string) bool {
	if s.names == nil {
		s.names = map[string]bool{}
	}
	if s.names[name] {
		return true
	}
	const most = 1000
	if len(s.names) < most {
		s.names[name] = true
	}
	return false
}

// meta reads the version: meta.Slurm up to 23.02, meta.slurm after it.
func (doc *document) meta(d *decoder) error {
	return d.object("an object", func(name string) error {
		if !strings.EqualFold(name, "slurm") {
			return d.json.SkipValue()
		}
		return d.object("an object", func(name string) error {
			if name == "release" {
				return d.text(&doc.version)
			}
			return d.json.SkipValue()
		})
	})
}

// complaint reads an error that Slurm reports.
func (doc *document) complaint(d *decoder) error {
	var texts [2]string
	read := func(name string) error {
		switch name {
		case "description":
			return d.text(&texts[0])
		case "error":
			return d.text(&texts[1])
		}
		return d.json.SkipValue()
	}
	var err error
	if d.json.PeekKind() == '"' {
		err = d.text(&texts[0])
	} else {
		err = d.object("an object", read)
	}
	if doc.told == "" {
		doc.told = strings.Trim(texts[1]+": "+texts[0], ": ")
	}
	return err
}

// in says of which version the file is, for a message.
func (doc *document) in() string {
	if doc.version == "" {
		return "the file does not say of which version of Slurm it is"
	}
	return "Slurm " + lines.Quote(doc.version)
}

// missing lists that a needed field is not there or not known.
func (doc *document) missing(place, field string) {
	doc.faults.At(place, "expected the field %q, found none that says it (%s)", field, doc.in())
}

// needs lists that Slurm reports an error, or that the file has not the list that it was given for.
func (doc *document) needs(list, command string, found bool) {
	switch {
	case !doc.faults.None():
	case doc.told != "":
		doc.faults.At("errors", "Slurm reports %s", lines.Quote(doc.told))
	case found:
	case doc.summary:
		doc.faults.At("", "expected a list %s, found the summary of sinfo: give what %s prints (%s)", list, command, doc.in())
	default:
		doc.faults.At("", "expected a list %s, as %s prints it; found none (%s)", list, command, doc.in())
	}
}

// at is the path of an element of a list.
func at(list string, k int) string { return list + "[" + strconv.Itoa(k) + "]" }

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
	case "specialized_memory":
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
