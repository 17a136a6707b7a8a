package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

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
