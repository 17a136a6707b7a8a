package bench

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/solve"
)

// Every cell is in one share, in the order of the plan. No share is heavier than another by more than a cell is: by limits, and where these are equal by
// sizes, with as many cells in each share.
func TestDeal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := &Plan{}
		kind := rapid.SampledFrom([]string{"no limits", "equal limits", "limits"}).Draw(t, "kind")
		n := rapid.IntRange(2, 9).Draw(t, "shards")
		for place := range rapid.IntRange(0, 60).Draw(t, "cells") {
			plan.Instances = append(plan.Instances, PlannedInstance{Jobs: rapid.IntRange(0, 20).Draw(t, "jobs")})
			cell := Cell{Instance: place}
			switch kind {
			case "limits":
				cell.Budget.Time = float64(rapid.IntRange(1, 9).Draw(t, "time"))
			case "equal limits":
				cell.Budget.Evaluations = 7
			}
			plan.Cells = append(plan.Cells, cell)
		}
		times := make([]int, len(plan.Cells))
		var limits, sizes, counts []float64
		for k, share := range plan.Deal(n) {
			if !slices.IsSorted(share) || !slices.Equal(share, plan.Share(Shard{k + 1, n})) {
				t.Errorf("share %d is %v", k+1, share)
			}
			load := cost{}
			for _, place := range share {
				times[place]++
				c := plan.cost(place)
				load = cost{load.limit + c.limit, load.size + c.size}
			}
			limits, sizes, counts = append(limits, load.limit), append(sizes, load.size), append(counts, float64(len(share)))
		}
		if slices.ContainsFunc(times, func(n int) bool { return n != 1 }) {
			t.Errorf("cells are dealt %v times", times)
		}
		spread := func(values []float64) float64 { return slices.Max(values) - slices.Min(values) }
		switch {
		case kind == "limits" && spread(limits) > 9:
			t.Errorf("limits %v", limits)
		case kind != "limits" && spread(sizes) > 20:
			t.Errorf("sizes %v", sizes)
		case kind == "equal limits" && spread(counts) > 1:
			t.Errorf("numbers of cells %v", counts)
		}
	})
}

// The deal of a small plan: the heaviest cell first, each to the share that has the least.
func TestDealOfSixCells(t *testing.T) {
	plan := &Plan{}
	for place, jobs := range []int{3, 9, 3, 4, 8, 3} {
		plan.Instances = append(plan.Instances, PlannedInstance{Jobs: jobs})
		plan.Cells = append(plan.Cells, Cell{Instance: place})
	}
	if diff := cmp.Diff([][]int{{0, 1, 2}, {3, 4, 5}}, plan.Deal(2)); diff != "" {
		t.Errorf("(-expected +found)\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 4, 3, 0, 2, 5}, plan.heaviest()); diff != "" {
		t.Errorf("heaviest first (-expected +found)\n%s", diff)
	}
}

// A shard is given, or said by the engine.
func TestParseShard(t *testing.T) {
	slurm := func(id, count, low, high, step string) map[string]string {
		return map[string]string{"SLURM_ARRAY_TASK_ID": id, "SLURM_ARRAY_TASK_COUNT": count, "SLURM_ARRAY_TASK_MIN": low, "SLURM_ARRAY_TASK_MAX": high, "SLURM_ARRAY_TASK_STEP": step}
	}
	for _, test := range []struct {
		text string
		env  map[string]string
		want string // the shard, or a part of the error
	}{
		{"3/4", nil, "3/4"},
		{"1/1", nil, ""},
		{"0/4", nil, `expected K/N, with K from 1 to N = 4, found "0/4"`},
		{"5/4", nil, `expected K/N, with K from 1 to N = 4, found "5/4"`},
		{"-1/4", nil, "K from 1"},
		{"1/0", nil, "expected K/N, /N or auto, with N from 1"},
		{"1/1000001", nil, "expected K/N, /N or auto"},
		{"x", nil, `expected K/N, /N or auto, with N from 1 to 1000000, found "x"`},
		{"", nil, "expected K/N, /N or auto"},
		{"3", nil, "expected K/N, /N or auto"},
		{"3/", nil, "expected K/N, /N or auto"},
		{"1/2/3", nil, "expected K/N"},
		{"/4", nil, "found none; give --shard K/N"},
		{"auto", nil, "found none; give --shard K/N"},
		{"/4", map[string]string{"PBS_ARRAY_INDEX": "2"}, "2/4"},
		{"/4", map[string]string{"JOB_COMPLETION_INDEX": "0"}, "1/4"},
		{"/4", map[string]string{"JOB_COMPLETION_INDEX": "4"}, "JOB_COMPLETION_INDEX: expected a task of 4, found 4"},
		{"/4", map[string]string{"HQ_TASK_ID": "4"}, "4/4"},
		{"/4", map[string]string{"HQ_TASK_ID": "0"}, "HQ_TASK_ID: expected a task of 4, found 0"},
		{"/4", map[string]string{"HQ_TASK_ID": "3", "SLURM_ARRAY_TASK_ID": "1"}, "3/4"},
		{"/4", map[string]string{"PBS_ARRAY_INDEX": "two"}, `PBS_ARRAY_INDEX: expected a whole number, found "two"`},
		{"/4", slurm("3", "9", "0", "9", "1"), "3/4"},
		{"auto", map[string]string{"PBS_ARRAY_INDEX": "2"}, "PBS_ARRAY_INDEX states shard 2, but nothing states the number of shards; give --shard /N"},
		{"auto", map[string]string{"SLURM_ARRAY_TASK_ID": "2"}, "SLURM_ARRAY_TASK_COUNT: expected a whole number"},
		{"auto", slurm("1", "4", "1", "4", "1"), "1/4"},
		{"auto", slurm("0", "4", "0", "3", "1"), "1/4"},
		{"auto", slurm("13", "4", "10", "13", "1"), "4/4"},
		{"auto", slurm("4", "4", "0", "6", "2"), "3/4"},
		{"auto", slurm("2", "2", "1", "2", ""), "2/2"},
		{"auto", slurm("3", "3", "1", "4", "1"), "an array without gaps, found task 3 of 3 from 1 to 4"},
		{"auto", slurm("1", "3", "1", "4", "1"), "an array without gaps"},
		{"auto", slurm("0", "2", "1", "2", "1"), "an array without gaps"},
		{"auto", slurm("3", "3", "0", "4", "2"), "an array without gaps"},
	} {
		shard, err := ParseShard(test.text, func(name string) string { return test.env[name] })
		found := shard.String()
		if err != nil {
			found = err.Error()
		}
		if found != test.want && (err == nil || !strings.Contains(found, test.want) || test.want == "") {
			t.Errorf("%q, %v: %s, expected %s", test.text, test.env, found, test.want)
		}
	}
}

// Shards that run at the same time have the rows of a run of the whole. Each says what it ran on. The whole suite then finds nothing to do.
func TestShards(t *testing.T) {
	path, dir := writeSuite(t, smallSuite()), t.TempDir()
	want := smallRows(t)
	var group sync.WaitGroup
	for k := range 4 {
		group.Go(func() {
			if err := runOf(t.Context(), path, RunOptions{Dir: dir, Shard: Shard{k + 1, 4}}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	sameRows(t, "four shards", want, dir)
	for k := range 4 {
		text, err := os.ReadFile(filepath.Join(dir, rowsNamed(string(rune('1'+k)))))
		if n := strings.Count(string(text), "\n"); err != nil || n < 13 || n > 14 {
			t.Errorf("shard %d has %d rows of 54: %v", k+1, n, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, rowsFile)); err == nil {
		t.Error("there is a file of rows of the whole")
	}
	if err := runOf(t.Context(), path, RunOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	run, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	var shards []string
	for _, e := range run.Environments {
		shards = append(shards, e.Shard)
		if e.Host == "" || e.Date == "" {
			t.Errorf("the environment is %+v", e)
		}
	}
	if slices.Sort(shards); !slices.Equal(shards, []string{"1/4", "2/4", "3/4", "4/4"}) || run.Cells != 54 {
		t.Errorf("it ran in %q, %d cells", shards, run.Cells)
	}
	for _, pattern := range []string{"*.lock", ".allot-*", "best/*.lock"} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			t.Errorf("files are left: %q", left)
		}
	}
}

// Of a plan in another number of shards, each runs what has no row yet in any file. A torn line of another shard is a missing row, one of its own is mended.
func TestShardsGoOn(t *testing.T) {
	path, dir := writeSuite(t, smallSuite()), t.TempDir()
	want := smallRows(t)
	run := func(k, n int) {
		t.Helper()
		if err := runOf(t.Context(), path, RunOptions{Dir: dir, Shard: Shard{k, n}}); err != nil {
			t.Fatal(err)
		}
	}
	run(2, 3)
	file := filepath.Join(dir, "rows-2.jsonl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text[:len(text)-10], 0o666); err != nil {
		t.Fatal(err)
	}
	if n := len(rowsOf(t, dir)); n != 17 {
		t.Errorf("%d rows and a torn one, expected 17", n)
	}
	plan := planOf(t, smallSuite())
	if missing, err := plan.Missing(dir, false); err != nil || len(missing) != 54-17 {
		t.Errorf("%d are missing: %v", len(missing), err)
	}
	run(1, 2)
	run(2, 2)
	sameRows(t, "two shards after one of three", want, dir)
	if lines := linesIn(t, dir); lines != 54 {
		t.Errorf("%d lines, expected 54: a cell ran twice, or half a row is left", lines)
	}
}

// linesIn counts the lines of all files of rows, which have to be whole.
func linesIn(t *testing.T, dir string) int {
	t.Helper()
	lines, half := linesSoFar(t, dir)
	if half != "" {
		t.Errorf("%s ends in half a line", half)
	}
	return lines
}

// linesSoFar counts the whole lines of all files of rows while programs write to them, and returns a file that ends in half a line. Who reads while a line is
// written may see half of it, and so may who reads after its writer was killed.
func linesSoFar(t *testing.T, dir string) (lines int, half string) {
	t.Helper()
	paths, err := rowFiles(dir)
	for _, path := range paths {
		text, failed := os.ReadFile(path)
		err = errors.Join(err, failed)
		lines += strings.Count(string(text), "\n")
		if !strings.HasSuffix(string(text), "\n") && len(text) > 0 {
			half = path
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return lines, half
}

// Programs that would run the same cells are refused; others run beside each other.
func TestBusyParts(t *testing.T) {
	plan := planOf(t, oneSuite)
	whole, steal := RunOptions{}, RunOptions{Steal: true}
	shard := func(k, n int) RunOptions { return RunOptions{Shard: Shard{k, n}} }
	for _, test := range []struct {
		a, b RunOptions
		want string // part of the error; empty: none
	}{
		{whole, whole, "a run of the suite"},
		{whole, shard(1, 2), "a run of the suite"},
		{shard(1, 2), whole, "shard 1/2"},
		{shard(1, 2), shard(1, 2), "shard 1/2"},
		{shard(1, 2), shard(2, 2), ""},
		{shard(1, 2), shard(2, 3), "shard 1/2"},
		{shard(1, 2), shard(1, 3), "shard 1/2"},
		{steal, steal, ""},
		{steal, shard(1, 2), "a run that claims cells"},
		{whole, steal, "a run of the suite"},
		{shard(2, 2), steal, "shard 2/2"},
	} {
		dir := t.TempDir()
		test.a.Dir, test.b.Dir = dir, dir
		first, err := openRun(t.Context(), plan, test.a)
		if err != nil {
			t.Fatal(err)
		}
		second, err := openRun(t.Context(), plan, test.b)
		if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%q beside %q: %v, expected %q", test.b.part(), test.a.part(), err, test.want)
		}
		if err == nil {
			err = second.close()
		} else {
			err = nil
		}
		if err = errors.Join(err, first.close()); err != nil {
			t.Fatal(err)
		}
		if err := Run(t.Context(), plan, test.b); err != nil {
			t.Errorf("%q after %q: %v", test.b.part(), test.a.part(), err)
		}
	}
}

// Rows of another program are refused in whatever file they are.
func TestShardsOfOneProgram(t *testing.T) {
	path, dir := writeSuite(t, oneSuite), t.TempDir()
	if err := runOf(t.Context(), path, RunOptions{Dir: dir, Shard: Shard{1, 2}}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "rows-1.jsonl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), solve.Version(), "devel-exe.0123456789ab", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, opt := range []RunOptions{{Dir: dir}, {Dir: dir, Shard: Shard{2, 2}}, {Dir: dir, Steal: true}} {
		if err := runOf(t.Context(), path, opt); !errors.Is(err, ErrOtherRun) || !strings.Contains(err.Error(), "rows-1.jsonl:1: the row was written by version devel-exe.0123456789ab") {
			t.Errorf("%q: %v", opt.part(), err)
		}
	}
	if _, err := planOf(t, oneSuite).Missing(dir, false); !errors.Is(err, ErrOtherRun) {
		t.Errorf("what is missing: %v", err)
	}
	if err := runOf(t.Context(), path, RunOptions{Dir: dir, Shard: Shard{2, 2}, Mixed: true}); err != nil || len(rowsOf(t, dir)) != 2 {
		t.Errorf("mixed: %v", err)
	}
}

// A folder that cannot be used is told from one that another program uses.
func TestNoFolder(t *testing.T) {
	dir := filepath.Join(writeSuite(t, oneSuite), "run")
	for _, opt := range []RunOptions{{Dir: dir}, {Dir: dir, Shard: Shard{1, 2}}, {Dir: dir, Steal: true}} {
		if err := Run(t.Context(), planOf(t, oneSuite), opt); !errors.Is(err, ErrNoFolder) {
			t.Errorf("%q: %v", opt.part(), err)
		}
	}
	if os.Getuid() <= 0 {
		return // root may write to every folder
	}
	dir = t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), planOf(t, oneSuite), RunOptions{Dir: dir, Shard: Shard{1, 2}}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("a folder that is read-only: %v", err)
	}
}

// How many shards a plan is run in unless told.
func TestTasks(t *testing.T) {
	for _, test := range []struct {
		cells, most, want int
		time              float64
	}{{200, 1000, 16, 0}, {10, 1000, 10, 0}, {200, 7, 7, 0}, {1000, 1000, 6, 10}, {10, 1000, 1, 10}, {1_000_000, 1000, 100, 10}, {1, 1, 1, 1e9}} {
		plan := &Plan{Suite: &Suite{Budget: Budget{Time: test.time}}, Cells: make([]Cell, test.cells)}
		if found := plan.Tasks(test.most); found != test.want {
			t.Errorf("%+v: %d", test, found)
		}
	}
}
