package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/report"
)

var pagesTo = flag.String("pages", "", "folder to save the sample pages in: tools/browser looks at them")

// pages are sample pages by name.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	large := sample{groups: 1, instances: 8, solvers: 30, seeds: 1, trace: true, names: []string{hostile, strings.Repeat("long-name-", 12), "ü→中文"}}
	kinds := sample{groups: 2, instances: 7, solvers: 6, seeds: 1, trace: true}.rows()
	for k := range kinds {
		kinds[k].Online = new(kinds[k].Group == "group 1" && slices.Contains([]string{"solver-1", "solver-2", "solver-3"}, kinds[k].Solver))
	}
	pages := map[string][]byte{}
	for name, runs := range map[string][]report.Run{
		"ordinary": ordinary(),
		"kinds":    {run("kinds", kinds)},
		"large":    {run("large", large.rows())},
		"two":      {run("two", sample{groups: 1, instances: 1, solvers: 2, seeds: 3}.rows())},
		"hostile":  {run(hostile, sample{groups: 2, instances: 3, solvers: 4, seeds: 1, names: []string{hostile, hostile + "2", "a", "b"}}.rows())},
		"sorts":    {run("sorts", mixedRows())},
	} {
		pages[name] = write(t, runs, report.Options{})
	}
	return pages
}

// mixedRows are rows of five solvers: three with objectives, and two that failed and took longer.
func mixedRows() []bench.Row {
	rows := sample{groups: 1, instances: 1, solvers: 5, seeds: 1, names: []string{"n10", "n9", "n1", "none", "also none"}}.rows()
	for k, objective := range []float64{1e6, 90, -5} {
		rows[k].Objective = &objective
		rows[k].Elapsed = 1
	}
	for _, k := range []int{3, 4} {
		rows[k].Objective, rows[k].Fault, rows[k].Elapsed = nil, "failed", 2
	}
	return rows
}

// Every sample page is a document with one script that asks for nothing outside it. With -pages they are saved.
func TestPages(t *testing.T) {
	outside := regexp.MustCompile(`(src|href|action)\s*=\s*["']?[^#"'\s]`)
	for name, page := range pages(t) {
		text := string(page)
		if !strings.HasPrefix(strings.ToLower(text), "<!doctype html>") || strings.Count(text, "<script>") != 1 {
			t.Errorf("%s is not a document with one script", name)
		}
		if match := outside.FindString(strings.NewReplacer("src=x onerror", "", `href="data:image/png;base64,`, "").Replace(text)); match != "" {
			t.Errorf("%s refers to something outside: %s", name, match)
		}
		if *pagesTo == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*pagesTo, name+".html"), page, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
