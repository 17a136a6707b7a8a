package slurm

import (
	"io"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model/budget"
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
	summary      bool               // sinfo's list of groups of nodes, which is no list of nodes
	settings     map[string]string  // of slurm.conf, by the name in small letters
	sets         map[string]nodeSet // of slurm.conf, by name
	included     []string           // files that slurm.conf includes, which are not read
	wrong        error              // in files that it includes, which are read
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
	perNode, perTaskGres        string // generic resources that it asks for
	perJob, perSocket           string
	tasksPerNode, leastCPUs     number // tasks, and processors at least, on each node
	tasksOfGres                 number // tasks for each GPU
	shortest                    number // minutes: it takes a shorter limit too
	contiguous, boots           bool
	burst, prefers              string
	coresKept, threadsKept      number // kept for the system on each node
	tasksPerCore, tasksPerSock  number
	coresPerSock, threadsOfCore number // of the nodes that it may use
	socketsOfNode, disk         number
	switches, segment           number
	priorities                  []number // by partition
	qos                         string
	detail                      []string // generic resources that it holds on each of its nodes
	shares                      []share
}

// share is what a running job holds on one node.
type share struct {
	node         string
	cpus, memory number
	cores        int // up to 23.02 the file tells the cores, not the processors
}

// node is a node as Slurm states it.
type node struct {
	name            string
	cpus, effective number
	memory, special number // MB
	threads, weight number // of a core; and by which Slurm orders nodes
	states, flags   []string
	partitions      []string
	resources       string // generic resources, such as gpu:h100:4
	features        []string
	line            int  // of the text that states it; 0: of no text
	anyPartition    bool // the text of the node does not say its partitions: those of the partitions count
}

// partition is a partition as Slurm states it.
type partition struct {
	name                string
	nodes               string // hostlist
	limit, usualTime    number // MaxTime and DefaultTime, minutes
	tier                number
	share               number // jobs that a processor may have at a time; 0: each job has its nodes alone
	state               []string
	nodesMost, cpusMost number // of a job: nodes, and processors on each
	socketMost          number // of a job: processors on each socket
	qos                 string // whose limits hold for all its jobs
	usual               bool   // jobs without a partition go there; JSON does not say so
}

// reservation is a reservation as Slurm states it.
type reservation struct {
	name       string
	start, end number
	nodes      string
	cores      number
	licences   string
	flags      []string
}

// licence is a licence as Slurm states it.
type licence struct {
	name  string
	total number
}

// readDocument reads the JSON of one command. It recognises lists by their keys, whatever the version, and skips unknown keys.
func readDocument(r io.Reader, faults *lines.Faults) *document {
	doc := &document{faults: faults}
	d := &decoder{json: lines.NewJSON(r), faults: faults, texts: map[string]string{}}
	seen, into := map[string]bool{}, doc.fields(d)
	err := d.object("the JSON object of a Slurm command", func(name string) error {
		place, known := into[name]
		if known && seen[name] {
			d.fault("expected the field once, found it again")
			return d.json.SkipValue()
		}
		if len(seen) < 100 {
			seen[name] = true
		}
		if (name == "jobs" || name == "nodes") && d.json.PeekKind() == 'n' {
			return d.json.SkipValue() // no list: an empty one is written as such
		}
		return d.into(place)
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

// fields are the fields of a document.
func (doc *document) fields(d *decoder) places {
	return places{
		"jobs":         func() error { return readList(d, &doc.jobs, jobFields) },
		"nodes":        func() error { return readList(d, &doc.nodes, nodeFields) },
		"partitions":   func() error { return readList(d, &doc.partitions, partitionFields) },
		"reservations": func() error { return readList(d, &doc.reservations, reservationFields) },
		"licenses":     func() error { return readList(d, &doc.licences, licenceFields) },
		"sinfo": func() error {
			doc.summary = true
			return d.json.SkipValue()
		},
		"last_update": &doc.updated,
		"meta":        func() error { return doc.meta(d) },
		"errors":      func() error { return d.array("a list of errors", func() error { return doc.complaint(d) }) },
	}
}

// readList reads a list of objects. Once the list of faults is full, elements are read but not kept.
func readList[T any](d *decoder, list *[]T, fields func(d *decoder, element *T) places) error {
	*list = []T{}
	var element, empty T
	into := fields(d, &element)
	return d.array("a list", func() error {
		element = empty
		var seen fieldSet
		err := d.object("an object", func(name string) error {
			if seen.again(name) {
				d.fault("expected the field once, found it again")
				return d.json.SkipValue()
			}
			return d.into(into[name])
		})
		if over := d.faults.Budget().Names(budget.NamesOf[T]()); over != nil {
			d.fault("%s", over)
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
		return d.fields("an object", places{"release": &doc.version})
	})
}

// complaint reads an error that Slurm reports.
func (doc *document) complaint(d *decoder) error {
	var texts [2]string
	var err error
	if d.json.PeekKind() == '"' {
		err = d.text(&texts[0])
	} else {
		err = d.fields("an object", places{"description": &texts[0], "error": &texts[1]})
	}
	if doc.told == "" {
		doc.told = strings.Trim(texts[1]+": "+texts[0], ": ")
	}
	return err
}

// in names the version of the file, for a message.
func (doc *document) in() string {
	if doc.version == "" {
		return "the file does not say of which version of Slurm it is"
	}
	return "Slurm " + lines.Quote(doc.version)
}

// missing adds a fault for a needed field that is absent or states nothing.
func (doc *document) missing(place, field string) {
	doc.faults.At(place, "expected the field %q, found none that says it (%s)", field, doc.in())
}

// needs adds a fault if Slurm reports an error in the file, or if the file lacks the list that it was given for.
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
