package serve

import (
	"net/http"
	"strings"
	"testing"
)

// Files of one import have names: the trace is found among the files of its system, which include each other, and a fault says which file has it.
func TestNamesOfFiles(t *testing.T) {
	server, _ := begin(t, nil)
	const (
		conf  = "Include nodes.conf\nPartitionName=p Nodes=ALL\n"
		nodes = "NodeName=a[1-3] CPUs=8\n"
		rows  = "JobID|Partition|Submit|Start|End|NCPUS\n1|p|1|2|3|8\n"
	)
	for name, c := range map[string]struct {
		files  []string // each after its name
		more   string
		status int
		want   string
	}{
		"together":         {[]string{"slurm.conf", conf, "sacct.txt", rows, "nodes.conf", nodes}, "", http.StatusOK, `"machines":[{"id":"a[1-3]","count":3,"processors":8}]`},
		"name":             {[]string{"slurm.conf", conf, "sacct.txt", rows, "nodes.conf", nodes}, "", http.StatusOK, `"name":"sacct"`},
		"fault of one":     {[]string{"sacct.txt", rows, "slurm.conf", "NodeName=a CPUs=x\n"}, "", http.StatusBadRequest, `{"path":"files[1].line 1","message":"slurm.conf: CPUs`},
		"fault of another": {[]string{"slurm.conf", nodes + "PartitionName=p Nodes=ALL\n", "sacct.txt", strings.Replace(rows, "|3|", "|x|", 1)}, "", http.StatusBadRequest, `{"path":"files[1].line 2","message":"sacct.txt: `},
		"too few names":    {[]string{"sacct.txt", rows, "slurm.conf", nodes}, `, "names": ["a"]`, http.StatusBadRequest, `"path":"names","message":"expected a name for each of the 2 files, found 1"`},
		"names and files":  {[]string{"sacct.txt", rows, "slurm.conf", nodes}, `, "param": {"nodes": "nodes.txt"}`, http.StatusBadRequest, `reads no files`},
	} {
		var files, names []string
		for k := 0; k < len(c.files); k += 2 {
			names, files = append(names, quoted(c.files[k])), append(files, quoted(c.files[k+1]))
		}
		if !strings.Contains(c.more, "names") {
			c.more += `, "names": [` + strings.Join(names, ", ") + "]"
		}
		if status, text := post(t, server, "import", `{"files": [`+strings.Join(files, ", ")+"]"+c.more+"}"); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d: %.600s, want %d with %s", name, status, text, c.status, c.want)
		}
	}
}
