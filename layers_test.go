package allot_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rooms are the folders of packages, each of which imports only rooms before it, and of its own.
var rooms = []string{
	"internal", "model", "proof", "params", "formats", "data", "plan", "milp", "queueing", "bound", "ga", "search", "sim", "solve", "workload", "solvers", "draw", "schema",
	"bench", "papers", "lab", "serve", "web", "cmd",
}

// forTests are the rooms of internal that only tests and the hunt for false claims use: they import what they test.
var forTests = []string{"doubling", "looks", "modeltest", "needs", "often", "peak", "prove", "race", "realdata", "simtest", "slurmtest", "solvecases", "tally", "testfolder", "testkit"}

// No import leads from a lower room to a higher one.
func TestImportsRunOneWay(t *testing.T) {
	const module = "github.com/allot-opt/allot/"
	output, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	arrows := 0
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		from, inside := strings.CutPrefix(words[0], module)
		room, rest, _ := strings.Cut(from, "/")
		name, _, _ := strings.Cut(rest, "/")
		if !inside || room == "examples" || room == "internal" && slices.Contains(forTests, name) {
			continue
		}
		at := slices.Index(rooms, room)
		if at < 0 {
			t.Errorf("%s: expected a room of the list, found %s", from, room)
			continue
		}
		for _, path := range words[1:] {
			to, inside := strings.CutPrefix(path, module)
			if !inside {
				continue
			}
			if room, _, _ := strings.Cut(to, "/"); slices.Index(rooms, room) > at {
				t.Errorf("%s imports %s, a room above its own", from, to)
			}
			arrows++
		}
	}
	if arrows < 300 {
		t.Errorf("saw only %d imports", arrows)
	}
}
