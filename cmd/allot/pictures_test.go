package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// TestPicturesPage runs the commands of docs/pictures.md and compares the pictures with those in docs. With -update it rewrites them.
func TestPicturesPage(t *testing.T) {
	if race.Enabled {
		t.Skip("a single goroutine's answer, and slow with the race detector")
	}
	page, err := os.ReadFile("../../docs/pictures.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("found no commands")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	pictures := 0
	for line := range strings.Lines(string(block[1])) {
		if testing.Short() && strings.Contains(line, "--width 360") {
			continue // it is another picture of the same
		}
		var args []string
		for _, match := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(line, -1) {
			arg := match[1] + match[2]
			if picture, found := strings.CutPrefix(arg, "docs/"); found && !*update {
				arg = filepath.Base(picture)
			} else if found || strings.HasPrefix(arg, "data/") || strings.HasPrefix(arg, "examples/") {
				arg = filepath.Join(root, arg)
			}
			args = append(args, arg)
		}
		var out, errs bytes.Buffer
		if status := run(t.Context(), args, &out, &errs); status != exitOK {
			t.Fatalf("%s: status %d: %s", line, status, errs.String())
		}
		match := regexp.MustCompile(`docs/\S+`).FindString(line)
		if match == "" || *update {
			continue
		}
		pictures++
		want, err := os.ReadFile(filepath.Join(root, match))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Base(match))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its command draws; go test ./cmd/allot -run PicturesPage -update rewrites it", match)
		}
	}
	if pictures < 6 && !*update {
		t.Errorf("%d pictures", pictures)
	}
}
