package slurm_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/formats/internal/readertest"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// sampleText is the text of a file of the sample of 22.05.
func sampleText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(realdata.Root(t), "slurm", "22.05", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// written is the instance of a text of jobs and one of nodes, as it is written.
func written(jobs, nodes string) (string, error) {
	in, _, err := slurm.Read(slurm.Sources{Jobs: source("squeue", jobs), Nodes: source("sinfo", nodes)}, slurm.Options{})
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = model.WriteInstance(&text, in)
	return text.String(), err
}

// TestCutShort: of a file that is cut short nothing is read, wherever it is cut.
func TestCutShort(t *testing.T) {
	jobs, nodes := sampleText(t, "squeue.json"), sampleText(t, "sinfo.json")
	for _, file := range []string{"squeue", "sinfo"} {
		text := map[string]string{"squeue": jobs, "sinfo": nodes}[file]
		whole := len(strings.TrimRight(text, " \n"))
		for length := 0; length < whole; length += 1 + 22*min(1, (whole-length)/100) { // each of the last hundred
			var err error
			if file == "squeue" {
				_, err = written(text[:length], nodes)
			} else {
				_, err = written(jobs, text[:length])
			}
			if wrong := (*model.InputError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), file+": ") {
				t.Fatalf("%s, cut after %d of %d bytes: got %v", file, length, whole, err)
			}
		}
		if _, err := written(jobs[:len(strings.TrimRight(jobs, " \n"))], nodes); err != nil {
			t.Errorf("without the last end of line: %v", err)
		}
	}
}

// TestCutShortCompressed: the same of a compressed file.
func TestCutShortCompressed(t *testing.T) {
	path := filepath.Join(realdata.Root(t), "slurm", "24.05", "jobs.json.gz")
	compressed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "jobs.json.gz")
	for length := 20; length < len(compressed); length += len(compressed) / 50 {
		if err := os.WriteFile(cut, compressed[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		jobs, err := model.Open(cut)
		if err != nil {
			continue
		}
		_, _, err = slurm.Read(slurm.Sources{Jobs: slurm.Source{Reader: jobs, Name: "jobs"}, Nodes: file(t, filepath.Dir(path), "nodes.json.gz")}, slurm.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "jobs: ") {
			t.Errorf("cut after %d of %d bytes: got %v", length, len(compressed), err)
		}
		if err := jobs.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestWrongKinds: a value of the wrong kind in any field that is read is refused with its path. Nothing is taken for 0 or for empty.
func TestWrongKinds(t *testing.T) {
	numbers := strings.Fields("job_id array_job_id array_task_id array_max_tasks cpus tasks cpus_per_task node_count max_nodes memory_per_cpu memory_per_node " +
		"time_limit submit_time start_time end_time eligible_time last_sched_evaluation deadline priority het_job_id")
	texts := strings.Fields("array_task_string state_reason name user_name user_id group_name account partition dependency licenses nodes required_nodes " +
		"excluded_nodes features resv_name tres_req_str tres_alloc_str tres_per_node")
	refused := func(file, path, text string) {
		t.Helper()
		jobs, nodes := queue(""), small
		if file == "jobs" {
			jobs = text
		} else {
			nodes = text
		}
		_, _, err := slurm.Read(slurm.Sources{Jobs: source("jobs", jobs), Nodes: source("nodes", nodes)}, slurm.Options{})
		if wrong := (*model.InputError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), file+": "+path) {
			t.Errorf("%s: got %v\nwant a fault of %s", text, err, path)
		}
	}
	never := []string{`true`, `[1]`, `[]`, `{"number": "x"}`, `{"set": "yes", "number": 1}`, `{"number": -1}`, `{"number": 1e999}`, `{"number": [1]}`}
	for _, name := range numbers {
		for _, value := range append(never, `"x"`, `"NaN"`, `-1`, `-0.5`, `1e999`, `1e19`, `"0x10"`) {
			refused("jobs", "jobs[0]."+name, queue(fmt.Sprintf("%q: %s", name, value)))
		}
		for _, value := range []string{`NaN`, `Infinity`, `01`, `.5`, `1,`} {
			refused("jobs", "", queue(fmt.Sprintf("%q: %s", name, value)))
		}
		refused("jobs", "jobs[0]."+name+": expected the field once", queue(fmt.Sprintf("%q: 1, %q: 1", name, name)))
	}
	for _, name := range texts {
		for _, value := range never {
			refused("jobs", "jobs[0]."+name, queue(fmt.Sprintf("%q: %s", name, value)))
		}
		refused("jobs", "jobs[0]."+name+": expected the field once", queue(fmt.Sprintf(`%q: "p", %q: "p"`, name, name)))
	}
	for _, value := range []string{`true`, `{"number": "x"}`, `[[]]`, `[true]`} {
		refused("jobs", "jobs[0].job_state", queue(`"job_state": `+value))
		refused("nodes", "nodes[0].state", nodes(`{"name": "a", "cpus": 1, "partitions": ["p"], "state": `+value+`}`))
		refused("nodes", "nodes[0].partitions", nodes(`{"name": "a", "cpus": 1, "state": "idle", "partitions": `+value+`}`))
	}
	for _, name := range []string{"cpus", "effective_cpus", "real_memory", "specialized_memory"} { //nolint:misspell // Slurm's spelling
		for _, value := range append(never, `-1`, `"x"`) {
			text := `"name": "a", "state": "idle", "partitions": ["p"], "` + name + `": ` + value
			if name != "cpus" {
				text += `, "cpus": 4`
			}
			refused("nodes", "nodes[0]."+name, nodes("{"+text+"}"))
		}
	}
	for _, value := range []string{`1`, `true`, `"x"`, `{}`} {
		refused("jobs", "jobs", `{"jobs": `+value+`}`)
		refused("jobs", "jobs[0]", `{"jobs": [`+value+`]}`)
		refused("nodes", "nodes", `{"nodes": `+value+`}`)
	}
}

// TestDamaged: a file in which something is changed is refused with the file's name, or read without a fault of ours; where only white space differs, the
// instance is the same.
func TestDamaged(t *testing.T) {
	jobs, nodes := sampleText(t, "squeue.json"), sampleText(t, "sinfo.json")
	right, err := written(jobs, nodes)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := written(regexp.MustCompile(`\n\s*`).ReplaceAllString(jobs, " "), nodes); err != nil || got != right {
		t.Errorf("without ends of lines: %v", err)
	}
	value := regexp.MustCompile(`:\s*("[^"]*"|[0-9]+|null|true|false)`)
	places := value.FindAllStringSubmatchIndex(jobs, -1)
	odd := []string{"null", "true", "0", "-1", "1e999", "4294967295", "1e18", "0.5", `""`, `"x"`, `"\u0000"`, `"\ud800"`, "[]", "{}", `{"set": true, "infinite": true, "number": 7}`,
		`["RUNNING"]`, `"n[1-9"`, `"0-9%0"`, `"a:99999999999"`, `"afterok:2"`, `"PENDING"`, strings.Repeat("[", 300) + strings.Repeat("]", 300)}
	rapid.Check(t, func(r *rapid.T) {
		text := jobs
		switch rapid.IntRange(0, 3).Draw(r, "how") {
		case 0: // another value
			at := rapid.SampledFrom(places).Draw(r, "place")
			text = text[:at[2]] + rapid.SampledFrom(odd).Draw(r, "value") + text[at[3]:]
		case 1: // another byte
			at := rapid.IntRange(0, len(text)-1).Draw(r, "at")
			text = text[:at] + string(rapid.Byte().Draw(r, "byte")) + text[at+1:]
		case 2: // a part twice
			from := rapid.IntRange(0, len(text)-1).Draw(r, "from")
			to := rapid.IntRange(from, min(from+2000, len(text))).Draw(r, "to")
			text = text[:to] + text[from:]
		case 3: // a part left out
			from := rapid.IntRange(0, len(text)-1).Draw(r, "from")
			text = text[:from] + text[rapid.IntRange(from, min(from+2000, len(text))).Draw(r, "to"):]
		}
		in, report, err := slurm.Read(slurm.Sources{Jobs: source("f", text), Nodes: source("f", nodes)}, slurm.Options{})
		readertest.Check(t, "f", in, report, err)
	})
}

// TestReadError: an error of reading is told, and nothing is read of what came before it.
func TestReadError(t *testing.T) {
	jobs := sampleText(t, "squeue.json")
	broken := io.MultiReader(strings.NewReader(jobs[:len(jobs)/2]), errorReader{})
	_, _, err := slurm.Read(slurm.Sources{Jobs: slurm.Source{Reader: broken, Name: "f"}, Nodes: source("nodes", small)}, slurm.Options{})
	if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Errorf("got %v", err)
	}
}

// errorReader is a file that cannot be read.
type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }
