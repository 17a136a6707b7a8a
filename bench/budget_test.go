package bench_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/formats/tariff"
	"github.com/allot-opt/allot/internal/peak"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
	"github.com/allot-opt/allot/params"
)

// repetition is something that a format lets a file repeat or nest, many times over.
type repetition struct {
	name  string
	files []string // name and text in turn
	set   []string // parameters, NAME=VALUE
	what  string   // that is exceeded
}

// rows is a head and many rows of a number each.
func rows(head, row string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for k := range n {
		fmt.Fprintf(&b, row, k)
	}
	return b.String()
}

const (
	sacctHead = "JobID|Partition|Submit|Start|End|TimelimitRaw|NCPUS|NNodes\n"
	sacctRow  = "%d|p|2026-01-05T00:00:00|2026-01-05T00:00:00|2026-01-05T00:01:00|10|1|1\n"
	kubeNode  = `{"kind": "Node", "metadata": {"name": "n%d"}, "status": {"allocatable": {"cpu": "4", "pods": "10"}}},`
)

// repetitions are those of each format, by its name. A format without any is not tested, so it has to have one: what does it let a small text say over and over again?
func repetitions(t *testing.T) map[string][]repetition {
	one := rows(sacctHead, sacctRow, 1)
	site := func(name, conf, what string, more ...string) repetition {
		return repetition{name: name, files: append([]string{"trace.txt", one, "slurm.conf", conf}, more...), what: what}
	}
	workflow := func(tasks string) string {
		return `{"schemaVersion":"1.5","name":"w","workflow":{"specification":{"tasks":[` + strings.TrimSuffix(tasks, ",") + `]},"execution":{"tasks":[],"machines":[{"nodeName":"n","cpu":{"coreCount":4}}]}}}`
	}
	nodes := filepath.Join(t.TempDir(), "nodes.csv")
	if err := os.WriteFile(nodes, []byte(rows("sn,cpu_milli,memory_mib,gpu,model\n", "n%d,1000,1000,60000,G\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	pods := "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time\n"
	aliases := "kind: List\nitems:\n" + rows("", "- kind: Node\n  metadata: {name: n%d}\n  a: &a [1,1,1,1,1,1,1,1,1,1]\n  b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n  c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n  d: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n", 100)
	affinity := strings.TrimSuffix(rows("", kubeNode, 300), ",") + rows("", `,{"kind": "Pod", "metadata": {"name": "p%[1]d"}, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}], `+
		`"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k%[1]d", "operator": "NotIn", "values": ["v"]}]}]}}}}}`, 1000)
	return map[string][]repetition{
		"swf":    {{name: "jobs", files: []string{"x.swf", rows("; MaxProcs: 4\n", "%d 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\n", 60_000)}, what: "names"}},
		"etc":    {{name: "numbers", files: []string{"x.etc", "400 400\n" + strings.Repeat("1\n", 160_000)}, what: "names"}},
		"jobs":   {{name: "rows", files: []string{"x.csv", rows("id,work\n", "%d,1\n", 30_000)}, set: []string{"processors=4"}, what: "names"}},
		"batsim": {{name: "rows", files: []string{"x.csv", rows("job_id,workload_name,submission_time,requested_number_of_resources,execution_time,requested_time\n", "%d,w,0,1,1,2\n", 30_000)}, what: "names"}},
		"tou":    {{name: "times", files: []string{"x.json", `{"name": "x", "horizon": 2, "price": [1, 1], "power": {"busy": 1, "idle": 1, "off": []}, "processing_times": [1` + strings.Repeat(",1", 60_000) + "]}"}, what: "names"}},
		"rcpsp": {
			{name: "activities", files: []string{"x.rcp", "30000 1\n4\n" + strings.Repeat("1 1 0\n", 30_000)}, set: []string{"layout=rcp"}, what: "names"},
			{name: "pairs around a dummy", files: []string{"x.rcp", hub(400)}, set: []string{"layout=rcp"}, what: "names"},
		},
		"wfformat": {
			{name: "tasks", files: []string{"x.json", workflow(strings.Repeat("{},", 60_000))}, what: "names"},
			{name: "pairs around a dropped task", files: []string{"x.json", strings.Replace(workflow(hubTasks(500)), `"execution":{"tasks":[]`, `"execution":{"tasks":[`+strings.TrimSuffix(rows("", `{"id":"p%[1]d","runtimeInSeconds":1},{"id":"c%[1]d","runtimeInSeconds":1},`, 500), ",")+"]", 1)}, set: []string{"missing_runtime=drop"}, what: "names"},
		},
		"openb": {
			{name: "pods drawn until the devices are full", files: []string{"pods.csv", pods + "a,1,1,1,1000,0,1\n"}, set: []string{"nodes=" + nodes, "fill=1"}, what: "names"},
			{name: "pods", files: []string{"pods.csv", rows(pods, "a%d,1,1,1,1000,0,1\n", 30_000)}, set: []string{"nodes=" + nodes}, what: "names"},
		},
		"kubernetes": {
			{name: "aliases", files: []string{"x.yaml", aliases}, what: "names"},
			{name: "objects", files: []string{"x.json", `{"kind": "List", "items": [` + strings.TrimSuffix(rows("", kubeNode, 30_000), ",") + `]}`}, what: "names"},
			{name: "nodes × kinds of pods", files: []string{"x.json", `{"kind": "List", "items": [` + affinity + `]}`}, what: "names"},
		},
		"sacct": {
			{name: "jobs", files: []string{"trace.txt", rows(sacctHead, sacctRow, 60_000)}, what: "names"},
			site("a hostlist", "NodeName=n[0-999999] CPUs=4\nPartitionName=p Nodes=ALL\n", "names"),
			site("brackets", "NodeName=n"+strings.Repeat("[0-9]", 7)+" CPUs=4\nPartitionName=p Nodes=ALL\n", "names"),
			site("partitions × nodes", rows("NodeName=n[0-2000] CPUs=4\n", "PartitionName=p%d Nodes=n[0-2000]\n", 1000), "names"),
			site("partitions of all nodes", rows("NodeName=n[0-2000] CPUs=4\n", "PartitionName=p%d Nodes=ALL\n", 1000), "names"),
			site("features × nodes", "NodeName=n[0-2000] CPUs=4 Feature=a"+rows("", ",f%d", 1000)+"\nPartitionName=p Nodes=ALL\n", "names"),
			site("resources × nodes", "NodeName=n[0-2000] CPUs=4 Gres=a:1"+rows("", ",g%d:1", 1000)+"\nPartitionName=p Nodes=ALL\n", "names"),
			site("sets × nodes", rows("NodeName=n[0-2000] CPUs=4\n", "NodeSet=s%[1]d Nodes=n[0-2000]\nPartitionName=p%[1]d Nodes=s%[1]d\n", 1000), "names"),
			site("a file that includes itself", "include a.conf\nNodeName=n CPUs=4\nPartitionName=p Nodes=ALL\n", "files", "a.conf", strings.Repeat("include a.conf\n", 8)),
			site("files that include others", strings.Repeat("include a.conf\n", 8)+"NodeName=n CPUs=4\nPartitionName=p Nodes=ALL\n", "files", "a.conf", strings.Repeat("include b.conf\n", 8), "b.conf", strings.Repeat("include c.conf\n", 8), "c.conf", "# x\n"),
			site("a long file that is included again", strings.Repeat("include a.conf\n", 40)+"NodeName=n CPUs=4\nPartitionName=p Nodes=ALL\n", "bytes", "a.conf", strings.Repeat("# x\n", 1<<18)),
			{name: "jobs of several partitions", files: []string{"trace.txt", sacctHead + severalPartitions(2000), "slurm.conf", rows("NodeName=n[0-50] CPUs=4\n", "PartitionName=p%d Nodes=n[0-50]\n", 20)}, what: "names"},
		},
	}
}

// hub is a project in Patterson's layout whose first activity, a dummy, comes behind n activities and before n others.
func hub(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d 0\n0 %d", 2*n+1, n)
	for k := range n {
		fmt.Fprintf(&b, " %d", n+k+2)
	}
	return b.String() + strings.Repeat("\n1 1 1", n) + strings.Repeat("\n1 0", n) + "\n"
}

// hubTasks are n tasks before one, and n after it.
func hubTasks(n int) string {
	parents := strings.TrimSuffix(rows("", `"p%d",`, n), ",")
	return rows("", `{"id":"p%d"},`, n) + `{"id":"hub","parents":[` + parents + `]},` + rows("", `{"id":"c%d","parents":["hub"]},`, n)
}

// severalPartitions are jobs of which each names others of twenty partitions.
func severalPartitions(n int) string {
	var b strings.Builder
	for k := range n {
		var names []string
		for p := range 20 {
			if k>>(p%11)&1 == 0 || p > 10 {
				names = append(names, fmt.Sprintf("p%d", (p*7+k)%20))
			}
		}
		fmt.Fprintf(&b, "%d|%s|1|2|3|10|1|1\n", k, strings.Join(names, ","))
	}
	return b.String()
}

// narrow are limits that a test passes soon.
func narrow() budget.Limits {
	return budget.Limits{Files: 30, Bytes: 8 << 20, Names: 100_000, Steps: 1_000_000}
}

// read reads the files of a repetition from a budget.
func (r *repetition) read(t *testing.T, format string, b *budget.Budget) error {
	t.Helper()
	info, _ := formats.Named(format)
	reader := info.New()
	for _, s := range r.set {
		name, value, _ := strings.Cut(s, "=")
		if err := params.Set(reader, name, value); err != nil {
			t.Fatal(err)
		}
	}
	var sources []formats.Source
	for k := 0; k < len(r.files); k += 2 {
		sources = append(sources, formats.Source{Reader: b.Reader(strings.NewReader(r.files[k+1])), Name: r.files[k]})
	}
	var err error
	if several, ok := reader.(formats.FilesReader); ok {
		_, _, err = several.ReadFiles(sources)
	} else {
		_, _, err = reader.Read(sources[0].Reader, sources[0].Name)
	}
	return err
}

// Whatever a format lets a text repeat ends with the error of the budget, which names the file and what is exceeded, in little memory and soon. So does a reading that somebody
// ends, and one for which there is no memory.
func TestRepetitionsEnd(t *testing.T) {
	race.OneGoroutine(t)
	cases := repetitions(t)
	for _, info := range formats.All() {
		if len(cases[info.Name]) == 0 {
			t.Errorf("the format %s has no repetition to be tested: what does it let a small text say over and over again?", info.Name)
		}
		for _, r := range cases[info.Name] {
			t.Run(info.Name+"/"+r.name, func(t *testing.T) {
				var err error
				began := time.Now()
				grown := peak.Heap(func() { err = r.read(t, info.Name, budget.New(t.Context(), narrow(), nil)) })
				var passed *budget.Error
				var input *model.InputError
				if !errors.As(err, &passed) || passed.What != r.what || !errors.As(err, &input) {
					t.Errorf("got %.300v, expected that there are too many %s", err, r.what)
				} else if len(input.Faults) != 1 || input.File == "" || len(err.Error()) > 1000 {
					t.Errorf("got %q of %q: expected the one fault of a file", err, input.File)
				}
				if grown > 80<<20 || time.Since(began) > 30*time.Second {
					t.Errorf("the heap grew by %d MiB in %v", grown>>20, time.Since(began))
				}
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				if err := r.read(t, info.Name, budget.New(ctx, budget.Usual(), nil)); !errors.Is(err, context.Canceled) {
					t.Errorf("ended before: got %.300v", err)
				}
				none := errors.New("no memory")
				if err := r.read(t, info.Name, budget.New(t.Context(), budget.Usual(), func(int64) error { return none })); !errors.Is(err, none) {
					t.Errorf("without memory: got %.300v", err)
				}
			})
		}
	}
}

// The same for what is read beside the formats.
func TestOtherRepetitionsEnd(t *testing.T) {
	race.OneGoroutine(t)
	queue := func(jobs string) string { return `{"jobs": [` + strings.TrimSuffix(jobs, ",") + `]}` }
	const system = `{"nodes": [{"name": "n1", "cpus": 4, "state": ["IDLE"], "partitions": ["p"]}]}`
	job := `{"job_id": %d, "job_state": ["PENDING"], "partition": "p", "cpus": 1, "time_limit": 2, "submit_time": 1, "user_name": "u"%s},`
	live := func(jobs string) func(b *budget.Budget) error {
		return func(b *budget.Budget) error {
			_, _, err := slurm.Read(slurm.Sources{Jobs: slurm.Source{Reader: b.Reader(strings.NewReader(jobs)), Name: "jobs"}, Nodes: slurm.Source{Reader: strings.NewReader(system), Name: "nodes"}}, slurm.Options{})
			return err
		}
	}
	self := func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("Include a\nInclude a\n")), nil
	}
	var zipped bytes.Buffer
	out := gzip.NewWriter(&zipped)
	if _, err := out.Write(bytes.Repeat([]byte(" "), 64<<20)); err != nil || out.Close() != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(b *budget.Budget) error{
		"jobs of a queue":  live(queue(strings.Repeat("{},", 60_000))),
		"tasks":            live(queue(fmt.Sprintf(job, 1, `, "array_job_id": 1, "array_task_string": "0-99999"`))),
		"bits of tasks":    live(queue(fmt.Sprintf(job, 1, `, "array_job_id": 1, "array_task_string": "0x`+strings.Repeat("F", 50_000)+`"`))),
		"nodes asked for":  live(queue(fmt.Sprintf(job, 1, `, "required_nodes": "n[1-300000]"`))),
		"nodes of running": live(queue(strings.Replace(fmt.Sprintf(job, 1, `, "start_time": 1, "nodes": "n[1-300000]"`), "PENDING", "RUNNING", 1))),
		"waits":            live(queue(fmt.Sprintf(job, 1, `, "array_job_id": 1, "array_task_string": "0-2999"`) + rows("", strings.Replace(fmt.Sprintf(job, 7, `, "dependency": "afterany:1_*"`), ": 7,", ": 10%d,", 1), 60))),
		"settings": func(b *budget.Budget) error {
			_, err := slurm.ReadSettings(slurm.Source{Reader: b.Reader(strings.NewReader("Include a\n")), Name: "slurm.conf"}, self)
			return err
		},
		"a table of qualities": func(b *budget.Budget) error {
			_, err := slurm.ReadQualities(slurm.Source{Reader: b.Reader(strings.NewReader(rows("Name|Priority|UsageFactor\n", "q%d|1|1\n", 60_000))), Name: "qos"})
			return err
		},
		"a tariff": func(b *budget.Budget) error {
			_, err := tariff.Read(b.Reader(strings.NewReader(rows("time,value\n", "%d,1\n", 150_000))), "t.csv", tariff.Options{})
			return err
		},
		"what gzip unpacks to": func(b *budget.Budget) error {
			text, err := model.Decompressed(bytes.NewReader(zipped.Bytes()), "x")
			if err != nil {
				return err
			}
			_, err = model.ReadInstance(b.Reader(text), "x")
			return err
		},
		"an instance": func(b *budget.Budget) error {
			_, err := model.ReadInstance(b.Reader(strings.NewReader(`{"schema": "allot/instance/1", "clusters": [], "jobs": [{}`+strings.Repeat(",{}", 60_000)+"]}")), "x")
			return err
		},
		"a solution": func(b *budget.Budget) error {
			_, err := model.ReadSolution(b.Reader(strings.NewReader(`{"schema": "allot/solution/1", "jobs": [{}`+strings.Repeat(",{}", 60_000)+"]}")), "x")
			return err
		},
	} {
		var err error
		limits := narrow()
		limits.Bytes = 1 << 20
		if name != "what gzip unpacks to" {
			limits.Bytes = 8 << 20
		}
		grown := peak.Heap(func() { err = read(budget.New(t.Context(), limits, nil)) })
		if passed := (*budget.Error)(nil); !errors.As(err, &passed) || grown > 80<<20 {
			t.Errorf("%s: got %.300v, and %d MiB", name, err, grown>>20)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := read(budget.New(ctx, budget.Usual(), nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: ended before: got %.300v", name, err)
		}
	}
}
