package solve_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/allot-opt/allot/solve"
)

// A test binary has no version of its own. Its version shows the hash of its bytes, so that rows of other builds are not taken for its own.
func TestVersionNamesTheExecutable(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	bytes, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("-exe.%.12s", fmt.Sprintf("%x", sha256.Sum256(bytes))); !strings.HasSuffix(solve.Version(), want) || len(solve.Version()) == len(want) {
		t.Errorf("version %q, expected a name and %q", solve.Version(), want)
	}
}
