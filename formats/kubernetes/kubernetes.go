// Package kubernetes reads a cluster of Kubernetes with its queue: what kubectl get nodes,pods -o yaml or -o json prints, and the objects of Kueue.
//
// # What the instance says
//
// A node is a machine. It has as many processors as it may hold pods (allocatable pods), what is allocatable of memory, in MiB, and as resources "cpu", in cores,
// and every other resource that pods ask for; what device plugins add, such as nvidia.com/gpu, comes in whole devices. Its labels are features KEY=VALUE. Pods
// of a DaemonSet and of the kubelet are taken from the node. A node that is cordoned or not ready is closed; its pods run on.
//
// A pod is one processor, which is a block: what it asks for lies on one node. Pods of one group start together: they are one job of as many blocks. Pods that have
// a node run there already. Time 0 is the latest time that the files tell.
//
// Kueue: a Workload without quota is a job that waits, the quotas of a ClusterQueue are licences by flavor and resource, and the pods of a Workload that has
// its quota hold them. What may be borrowed from a cohort is limited by the quotas of all its queues together.
//
// Pods that a Job, a Deployment and the like describe and that are not created yet are not in the instance. They are counted, and a warning says how many there are.
//
// How long a pod runs is in none of these objects. It is taken from an annotation, a history, or, as a limit, from a deadline. Where none says it, it is not known:
// the instance has a year, and the first line of the report and of every answer says so.
//
// Sources: the reference of the API of Kubernetes 1.34 (Node, Pod, Quantity, taints and tolerations, node affinity, sidecar containers) and of Kueue
// (kueue.x-k8s.io/v1beta1 and v1beta2).
package kubernetes

import (
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// formatName is the name of the format in reports.
const formatName = "kubernetes"

var _ = formats.Register(formats.Info{
	Name: formatName, Doc: "the nodes and pods of a Kubernetes cluster, and the queues of Kueue, as kubectl get -o yaml or -o json prints them", Order: 9,
	Example: "allot import kubernetes --history jobs.csv nodes-and-pods.yaml kueue.yaml -o queue.json",
	New:     func() formats.Reader { return NewReader() },
	Looks:   func(begin string) bool { return looksYAML(begin) },
})

// looksYAML says whether a text begins as YAML of Kubernetes does.
func looksYAML(begin string) bool {
	version, kind := false, false
	for line := range strings.SplitSeq(begin, "\n") {
		version = version || strings.HasPrefix(line, "apiVersion: ")
		kind = kind || strings.HasPrefix(line, "kind: ") || strings.HasPrefix(line, "items:")
	}
	return version && kind
}

// Reader reads the objects of a cluster.
type Reader struct {
	History string `zero:"none" doc:"'FILE' with run times of earlier jobs: CSV of name, runtime in seconds and, as you like, namespace; or ended pods and Jobs as kubectl prints them"`
	// RuntimeAnnotation is an annotation of a pod, a Job, a Workload or the template of its pods.
	RuntimeAnnotation string  `zero:"none" doc:"'KEY' of the annotation that states how long a pod will run, in seconds or such as 1h30m"`
	Gangs             string  `enum:"groups,jobs" doc:"which pods start together: groups: those that name a group of pods, and those of a Workload; jobs: those of one Job or JobSet too"`
	Now               float64 `range:"[0, 1e12]" zero:"the latest time in the files" doc:"take the Unix time 'T' as time 0"`
	Cluster           string  `doc:"'ID' of the cluster"`
}

// NewReader makes a reader with its defaults.
func NewReader() *Reader {
	return &Reader{RuntimeAnnotation: "allot.dev/runtime", Gangs: "groups", Cluster: "kubernetes"}
}

// objects are those of all files.
type objects struct {
	file       string // being read
	several    bool   // there are several files, so that paths name theirs
	annotation string
	latest     float64 // Unix time of the last event

	nodes           []node
	nodeIndex       map[string]int
	pods            []pod
	podIndex        map[string]bool
	jobs            map[string]*batchJob
	suspended       []*batchJob
	clusterQueues   map[string]*clusterQueue
	flavors         map[string]*flavor
	localQueues     map[string]*localQueue
	priorities      map[string]float64
	workloads       []*workload
	workloadByName  map[string]*workload
	workloadByOwner map[string]*workload
	leastPods       map[string]int // by group of pods: the fewest pods with which the group may start
	lends           bool           // a quota has a limit of lending
	cohorts         bool           // cohorts have quotas or parents of their own
	others          map[string]int // objects of other kinds
	firstOther      map[string]string
	templates       []template
}

// newObjects is empty.
func newObjects(annotation string, several bool) *objects {
	return &objects{
		annotation: annotation, several: several, nodeIndex: map[string]int{}, podIndex: map[string]bool{}, jobs: map[string]*batchJob{}, clusterQueues: map[string]*clusterQueue{},
		flavors: map[string]*flavor{}, localQueues: map[string]*localQueue{}, priorities: map[string]float64{}, workloadByName: map[string]*workload{},
		workloadByOwner: map[string]*workload{}, leastPods: map[string]int{}, others: map[string]int{}, firstOther: map[string]string{},
	}
}

// take takes an object. Kinds that say nothing of use are counted.
func (o *objects) take(kind string, x field) {
	of := func(group string) bool { // the object is of the group, or states none
		version := x.get("apiVersion")
		return !version.given() || strings.HasPrefix(version.str(), group+"/")
	}
	switch kind {
	case "Node":
		o.node(x)
	case "Pod":
		o.pod(x)
	case "Job": // Volcano has a kind of the same name
		if !of("batch") {
			o.other(x.get("apiVersion").str()+" "+kind, x)
			return
		}
		o.job(x)
	case "ClusterQueue":
		o.clusterQueue(x)
	case "LocalQueue":
		o.localQueue(x)
	case "ResourceFlavor":
		o.flavor(x)
	case "Workload": // the group scheduling.k8s.io has a kind of the same name
		if !of("kueue.x-k8s.io") {
			o.count(x.get("apiVersion").str()+" "+kind, x)
			return
		}
		o.workload(x)
	case "PodGroup":
		o.podGroup(x)
	case "PriorityClass", "WorkloadPriorityClass":
		o.priorityClass(x)
	case "Cohort":
		o.cohorts = true
	default:
		o.other(kind, x)
	}
}

// read reads a file.
func (o *objects) read(r io.Reader, name string) error {
	r, faults := lines.Begin(r, name)
	o.file = name
	return o.readWithin(r, faults)
}

// readWithin reads a file whose faults are listed.
func (o *objects) readWithin(r io.Reader, faults *lines.Faults) error {
	d := document{faults: faults, use: o.take}
	d.read(r)
	return d.faults.Err()
}

// Read implements [formats.Reader]. The file of the history is opened by its path, see [model.Open].
//
// The error is a [*params.Error], or a [*model.InputError] that lists the faults by path.
func (o *Reader) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	return o.ReadFiles([]formats.Source{{Reader: r, Name: name}})
}

// ReadFiles implements [formats.FilesReader].
//
// Complexity: O(size of the files + pods · log pods + kinds of requirements · nodes).
func (o *Reader) ReadFiles(sources []formats.Source) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(o, o.Cluster); err != nil {
		return nil, nil, err
	}
	_, b := budget.Of(sources[0].Reader)
	found := newObjects(o.RuntimeAnnotation, len(sources) > 1)
	for _, s := range sources {
		if err := found.read(b.Reader(s.Reader), s.Name); err != nil {
			return nil, nil, err
		}
	}
	past, err := readHistory(b, o.History)
	if err != nil {
		return nil, nil, err
	}
	name := sources[0].Name
	if more := len(sources) - 1; more > 0 {
		name += " and " + strconv.Itoa(more) + " more"
	}
	q := &queue{
		Reader: o, objects: found, past: past, faults: lines.NewFaultsWithin(name, b), report: &model.ImportReport{Format: formatName, File: name}, now: o.Now, ids: map[string]bool{},
	}
	if q.now == 0 {
		q.now = math.Floor(found.latest)
	}
	if len(found.nodes) == 0 {
		q.faults.At("", "expected nodes, as kubectl get nodes,pods -o yaml prints them; found none among %s", found.counts())
		return nil, nil, q.faults.Err()
	}
	return q.instance(name)
}

// counts says what the files have.
func (o *objects) counts() string {
	text := strconv.Itoa(len(o.pods)) + " pods and " + strconv.Itoa(len(o.workloads)) + " Workloads"
	for _, kind := range sortedKeys(o.others) {
		text += ", " + strconv.Itoa(o.others[kind]) + " " + kind
	}
	return text
}

// sortedKeys are the keys of a map, sorted.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
