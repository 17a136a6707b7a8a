package solve_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/allot-opt/allot/solve"
)

// A test binary has no version of its own. Its version shows the hash of its build ID, so that rows of other builds are not taken for its own.
func TestVersionNamesTheExecutable(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	id, err := exec.CommandContext(t.Context(), "go", "tool", "buildid", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("-exe.%.12s", fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSpace(id)))); !strings.HasSuffix(solve.Version(), want) || len(solve.Version()) == len(want) {
		t.Errorf("version %q, expected a name and %q", solve.Version(), want)
	}
}

// A program of another module records a commit of its own, which says nothing of allot.
func TestRevisionIsThatOfAllot(t *testing.T) {
	settings := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}
	for path, want := range map[string]solve.Revision{
		"github.com/allot-opt/allot": {Commit: "0123abcd", Time: "2026-01-02T03:04:05Z", Modified: true},
		"example.org/embeds":         {},
	} {
		if got := solve.RevisionOf(&debug.BuildInfo{Main: debug.Module{Path: path}, Settings: settings}); got != want {
			t.Errorf("%s: found %+v, expected %+v", path, got, want)
		}
	}
}
