package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/internal/race"
)

// block is a fenced block of a page in Markdown.
type block struct {
	info       string // what stands behind the opening fence: the language, then for the shell how to run it
	body       string
	file       string // the file that the paragraph before the block tells the reader to save it as
	from, to   int    // place of the body in the page
	rightAfter bool   // nothing but white space stands between this block and the one before
}

var (
	fence           = regexp.MustCompile("(?ms)^```([^\n`]*)\n(.*?)^```$")
	writtenProgress = regexp.MustCompile(`(?m)^((\S+ left, )?.*, \d+ of \d+, \S+|[a-z ]+, (\d+[hm])*\d+s)\n`) // a run that takes longer than ten seconds has them
	busyMachine     = regexp.MustCompile(`(?m)^(allot: )?Machine load [\d.]+ on [^.]*too bad\.\n\n?`)         // other programs kept the machine busy
	saveAs          = regexp.MustCompile("Save (?:this|it) as `([^`]+)`[^\n]*:\\s*$")
)

// blocksOf lists the blocks of a page.
func blocksOf(page string) []block {
	var list []block
	end := 0
	for _, at := range fence.FindAllStringSubmatchIndex(page, -1) {
		between := page[end:at[0]]
		b := block{info: page[at[2]:at[3]], body: page[at[4]:at[5]], from: at[4], to: at[5], rightAfter: strings.TrimSpace(between) == ""}
		if name := saveAs.FindStringSubmatch(between); name != nil {
			b.file = name[1]
		}
		list, end = append(list, b), at[1]
	}
	return list
}

// withoutTimes replaces the figures of columns that are measured by the clock, in tables of lines and in LaTeX, as they differ from run to run.
func withoutTimes(text string) string {
	var clocked []int // columns
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		separator := "│"
		switch {
		case strings.Contains(line, " & "):
			separator = "&"
		case strings.HasPrefix(line, "| "):
			separator = "|"
		}
		cells := strings.Split(line, separator)
		switch {
		case strings.ContainsAny(line, "├┌") || strings.Contains(line, "rule"):
			continue
		case len(cells) < 3:
			clocked = nil
			continue
		}
		for c, cell := range cells {
			if name := strings.Trim(cell, ` \`); name == "time s" || name == "mean time s" || name == "time, s" {
				clocked = append(clocked, c)
			} else if slices.Contains(clocked, c) {
				cells[c] = " time "
			}
		}
		lines[k] = strings.Join(cells, separator)
	}
	return strings.Join(lines, "\n")
}

// matches reports whether a text is what a page shows; … stands for any characters within a line, and on a line by itself for any lines.
func matches(shown, found string) bool {
	pattern := regexp.QuoteMeta(withoutTimes(trimLines(shown)))
	pattern = regexp.MustCompile(`(?m)^…$`).ReplaceAllLiteralString(pattern, `(?s:.*)`)
	pattern = strings.ReplaceAll(pattern, "…", `[^\n]*`)
	return regexp.MustCompile(`^` + pattern + `$`).MatchString(withoutTimes(trimLines(found)))
}

// trimLines removes the white space at the ends of lines and of the text.
func trimLines(text string) string {
	return strings.TrimSpace(regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, ""))
}

// runPage does what a page tells its reader: it saves files, runs the blocks of the shell in order, in a folder that has the repository's data, and
// compares what they write with the block of text right after them. It returns the page with what they wrote. A block "sh no-test" is left out; it needs
// what a test does not have. A block "sh deep" takes long and is left out of short tests. A block "sh status N" ends with status N.
func runPage(t *testing.T, page string) string {
	folder := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"examples", "data", "golden", "bench", "docs"} {
		if err := os.Symlink(filepath.Join(root, name), filepath.Join(folder, name)); err != nil {
			t.Skip(err)
		}
	}
	var written strings.Builder
	output, copied := "", 0
	ran := true // the last block of the shell
	for _, b := range blocksOf(page) {
		language, how, _ := strings.Cut(b.info, " ")
		switch {
		case b.file != "":
			if err := os.WriteFile(filepath.Join(folder, b.file), []byte(b.body), 0o666); err != nil {
				t.Fatal(err)
			}
		case language == "sh" && how != "no-test":
			if ran = how != "deep" || !testing.Short(); ran {
				output = runBlock(t, folder, root, b.body, strings.TrimPrefix(how, "deep"))
			}
		case language == "text" && b.rightAfter && ran:
			if !matches(b.body, output) {
				written.WriteString(page[copied:b.from] + trimLines(output) + "\n")
				copied = b.to
			}
		}
	}
	return written.String() + page[copied:]
}

// runBlock runs a block of the shell and returns what it writes to either stream.
func runBlock(t *testing.T, folder, root, script, how string) string {
	status := 0
	if how != "" {
		if _, err := fmt.Sscanf(how, "status %d", &status); err != nil {
			t.Fatalf("a block says %q, expected no-test or status N", how)
		}
	}
	command := exec.Command("sh", "-e", "-c", script)
	command.Dir, command.Env = folder, append(os.Environ(), noRaceSleep, "ALLOT="+root, "COLUMNS=120", "TZ=UTC")
	output, err := command.CombinedOutput()
	if command.ProcessState == nil {
		t.Fatal(err)
	}
	if got := command.ProcessState.ExitCode(); got != status {
		t.Fatalf("%s\nexit status %d, expected %d\n%s", script, got, status, output)
	}
	return busyMachine.ReplaceAllString(writtenProgress.ReplaceAllString(string(output), ""), "")
}

// Whoever follows a tutorial, or tries what the README shows, sees what stands there.
func TestTutorials(t *testing.T) {
	if race.Enabled {
		t.Skip("the scripts run the same commands under the race detector")
	}
	needs.Program(t, "sh")
	pages, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("there are no tutorials: %v", err)
	}
	for _, path := range append(pages, "../../README.md", "../../docs/reference/formats.md", "../../docs/slurm.md") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			page := string(text)
			if strings.Contains(page, "```sh\n") && strings.Contains(page, "python3 ") {
				needs.Program(t, "python3")
			}
			found := runPage(t, page)
			if found == page {
				return
			}
			if *update {
				if err := os.WriteFile(path, []byte(found), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s shows what is not so (-shown +found); go test ./cmd/allot -run Tutorials -update rewrites it\n%s", path, cmp.Diff(strings.Split(page, "\n"), strings.Split(found, "\n")))
		})
	}
}

// Whoever follows the page of the service, with the service running, sees what stands there.
func TestServicePage(t *testing.T) {
	if race.Enabled {
		t.Skip("the tests of the service run the same requests under the race detector")
	}
	needs.Program(t, "curl")
	const path, usual = "../../docs/service.md", "localhost:8080"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	address := beginService(t)
	found := strings.ReplaceAll(runPage(t, strings.ReplaceAll(string(text), usual, address)), address, usual)
	if found != string(text) {
		t.Errorf("%s shows what is not so (-shown +found)\n%s", path, cmp.Diff(strings.Split(string(text), "\n"), strings.Split(found, "\n")))
	}
}

// What a page shows is compared line by line.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, found string
		want         bool
	}{
		{"a\nb\n", "a\nb\n", true}, {"a\n", "b\n", false}, {"time … s\n", "time 1.5 s\n", true}, {"a … b\n", "a\nb\n", false},
		{"a\n…\nb\n", "a\nx\ny\nb\n", true}, {"a.c\n", "abc\n", false}, {"a\n", "a \n\n", true}, {"a\n", "a\nb\n", false},
		{"│ time s │ gap │\n├────┤\n│ 1 │ 2 │\n", "│ time s │ gap │\n├────┤\n│ 3 │ 2 │\n", true},
		{"│ time s │ gap │\n│ 1 │ 2 │\n", "│ time s │ gap │\n│ 1 │ 3 │\n", false},
	} {
		if got := matches(c.shown, c.found); got != c.want {
			t.Errorf("matches(%q, %q) = %t", c.shown, c.found, got)
		}
	}
}
