package slurm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// dialect is how a version of Slurm writes what all of them say.
type dialect struct {
	number func(value any) any      // a number, json.Number, or nil for none
	states func(words []string) any // a job's states or a node's
	meta   any
}

// dialects are the ways of the versions, by the changes between them: numbers were plain up to 22.05, and objects in part after it; states were a word, with flags
// beside them for nodes, and became lists; the meta data changed their case and became texts.
var dialects = map[string]dialect{
	"21.08 and 22.05": {func(n any) any { return n }, word, map[string]any{"Slurm": map[string]any{"version": map[string]any{"major": 22, "micro": 8, "minor": 5}, "release": "22.05.8"}}},
	"23.02":           {object, word, map[string]any{"Slurm": map[string]any{"version": map[string]any{"major": 23, "micro": 7, "minor": 2}, "release": "23.02.7"}}},
	"23.11 and later": {object, func(words []string) any { return words },
		map[string]any{"slurm": map[string]any{"version": map[string]any{"major": "23", "micro": "10", "minor": "11"}, "release": "23.11.10"}}},
	"texts": {func(n any) any {
		if n == nil {
			return "N/A"
		}
		return string(n.(json.Number))
	}, func(words []string) any { return words }, nil},
	"decimals": {func(n any) any {
		if text, ok := n.(json.Number); ok && !strings.ContainsAny(string(text), ".eE") {
			return text + ".0"
		}
		return n
	}, word, nil},
}

// word is the first of the words alone; the others are the flags of a node.
func word(words []string) any { return words[0] }

// object is a number as an object.
func object(n any) any {
	if n == nil {
		return map[string]any{"set": false, "infinite": true, "number": 0}
	}
	return map[string]any{"set": true, "infinite": false, "number": n}
}

// numbers are the fields of jobs and nodes that are numbers in some version or other.
var numbers = strings.Fields("array_job_id array_task_id array_max_tasks cpus tasks cpus_per_task node_count max_nodes memory_per_cpu memory_per_node time_limit submit_time " +
	"start_time end_time eligible_time last_sched_evaluation deadline priority het_job_id effective_cpus specialized_memory") //nolint:misspell // Slurm's spelling

// TestDialects writes the samples in the way of every version: the instance stays the same.
func TestDialects(t *testing.T) {
	for _, sample := range []string{"22.05", "22.05-arrays", "22.05-early", "24.05", "25.11"} {
		folder := filepath.Join(realdata.Root(t), "slurm", sample)
		src := sampleOf(t, folder)
		jobs, nodes := tree(t, src.Jobs.Reader), tree(t, src.Nodes.Reader)
		imported := func(jobs, nodes any) string {
			t.Helper()
			again := sampleOf(t, folder)
			again.Jobs, again.Nodes = source(src.Jobs.Name, asJSON(t, jobs)), source(src.Nodes.Name, asJSON(t, nodes))
			in, report := read(t, again, slurm.Options{})
			var text bytes.Buffer
			if err := model.WriteInstance(&text, in); err != nil {
				t.Fatal(err)
			}
			return text.String() + notes(report)
		}
		want := imported(jobs, nodes)
		for _, name := range slices.Sorted(maps.Keys(dialects)) {
			if got := imported(dialects[name].file(jobs, "jobs"), dialects[name].file(nodes, "nodes")); got != want {
				t.Errorf("%s in the way of %s: got\n%.3000s\nwant\n%.3000s", sample, name, got, want)
			}
		}
	}
}

// file is a file in the dialect.
func (d dialect) file(file map[string]any, list string) map[string]any {
	file = maps.Clone(file)
	var elements []any
	for _, element := range file[list].([]any) {
		elements = append(elements, d.element(element.(map[string]any)))
	}
	file[list] = elements
	if d.meta != nil {
		file["meta"] = d.meta
	}
	return file
}

// element is a job or a node in the dialect.
func (d dialect) element(fields map[string]any) map[string]any {
	fields = maps.Clone(fields)
	for _, name := range numbers {
		value, found := fields[name]
		if !found {
			continue
		}
		if o, ok := value.(map[string]any); ok {
			if value = o["number"]; o["set"] != true || o["infinite"] == true {
				value = nil
			}
		}
		fields[name] = d.number(value)
	}
	for _, name := range []string{"job_state", "state"} {
		words := wordsOf(fields[name])
		if len(words) == 0 {
			continue
		}
		if name == "state" {
			words = append(words, wordsOf(fields["state_flags"])...)
			fields["state_flags"] = words[1:]
		}
		fields[name] = d.states(words)
	}
	return fields
}

// wordsOf is a word or a list of words.
func wordsOf(value any) (words []string) {
	switch value := value.(type) {
	case string:
		return []string{value}
	case []any:
		for _, word := range value {
			words = append(words, word.(string))
		}
	}
	return words
}

// tree reads JSON.
func tree(t *testing.T, r io.Reader) map[string]any {
	t.Helper()
	decoder := json.NewDecoder(r)
	decoder.UseNumber()
	var value map[string]any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// asJSON writes JSON.
func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
