package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/race"
)

// TestPoliciesPage runs the command of docs/policies.md, from the root of a clone, and compares what the page shows.
func TestPoliciesPage(t *testing.T) {
	if race.Enabled {
		t.Skip("a single goroutine's answer, and slow with the race detector")
	}
	page, err := os.ReadFile("../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^go run ./cmd/allot (policies .*)$`).FindSubmatch(page)
	blocks := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllSubmatch(page, -1)
	if command == nil || len(blocks) != 2 {
		t.Fatalf("found the command %q and %d blocks of its answer, expected 2", command, len(blocks))
	}
	t.Chdir("../..")
	var out, errs bytes.Buffer
	if status := run(t.Context(), append([]string{"allot"}, strings.Fields(string(command[1]))...), &out, &errs); status != exitOK {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	got := out.String()
	if !strings.HasPrefix(got, string(blocks[0][1])) || !strings.HasSuffix(got, string(blocks[1][1])) {
		t.Errorf("the answer is not that of the page:\n%s", got)
	}
}

// TestPoliciesServedAsCommanded compares the report of the service with that of the command, on an instance whose power has a price, so that all parts of a report are there.
func TestPoliciesServedAsCommanded(t *testing.T) {
	const instance = `{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m", "processors": 2, "power": {"idle": 10, "busy": 1}}]}], ` +
		`"tariff": {"price": [[0, 5], [2, 1]]}, "jobs": [{"id": "a", "processors": 2, "work": 2}, {"id": "b", "work": 2}]}`
	path := filepath.Join(t.TempDir(), "i.json")
	if err := os.WriteFile(path, []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	var want, got any
	text, _ := allot(t, "policies", "--json", path)
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	command := serveCommandOf(t, "--stdio")
	in, out := piped(t, command)
	_, _ = io.WriteString(in, `{"id": 1, "method": "policies", "params": {"trace": `+instance+`}}`+"\n")
	var answer struct{ Result struct{ Report any } }
	lines := json.NewDecoder(out)
	for range 2 { // what the service can do, and the answer
		if err := lines.Decode(&answer); err != nil {
			t.Fatal(err)
		}
	}
	_ = in.Close()
	_ = command.Wait()
	got = answer.Result.Report
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("command and service differ:\n%s", diff)
	}
	if !strings.Contains(text, `"priced-power"`) {
		t.Error("the report says nothing of what was possible: it proves little")
	}
}
