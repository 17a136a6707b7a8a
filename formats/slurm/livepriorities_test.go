package slurm_test

import (
	"bytes"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/slurmtest"
)

// TestLivePriorities puts changed lines into the slurm.conf of a real Slurm with accounts that have used it, and compares the priorities of 60 jobs of 5 accounts, and each
// of their terms, with what sprio prints.
func TestLivePriorities(t *testing.T) {
	slurmtest.StartAccounting(t, 4)
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	slurmtest.Run(t, "sacctmgr", "-i", "modify", "qos", "normal", "set", "priority=10")
	slurmtest.Run(t, "sacctmgr", "-i", "add", "qos", "high", "priority=100")
	for _, words := range []string{"physics fairshare=60", "astro parent=physics fairshare=3", "solid parent=physics fairshare=1", "biology fairshare=40", "cells parent=biology fairshare=1",
		"genes parent=biology fairshare=2", "guests fairshare=5"} {
		slurmtest.Run(t, "sacctmgr", append([]string{"-i", "add", "account"}, strings.Fields(words)...)...)
	}
	accounts := []string{"astro", "solid", "cells", "genes", "guests"}
	for k, account := range accounts {
		slurmtest.Run(t, "sacctmgr", "-i", "add", "user", me.Username, "account="+account, "qos=normal,high", "defaultqos=normal", fmt.Sprintf("priority=%d", 3*k))
	}
	settings := changeConf(t)
	slurmtest.Run(t, "scontrol", "reconfigure")
	for k, account := range accounts[:4] {
		slurmtest.Run(t, "sbatch", "--output=/dev/null", "-A", account, "-N1", "-n", strconv.Itoa(4+3*k), "--wrap=sleep 900")
	}
	within(t, 2*time.Minute, "no pass counts what the first jobs use", func() bool { return used(t) == 4 })
	slurmtest.Run(t, "scancel", "-u", me.Username)
	within(t, time.Minute, "the first jobs do not end", func() bool { return slurmtest.Run(t, "squeue", "-h") == "" })
	slurmtest.Run(t, "sbatch", "--output=/dev/null", "-A", "guests", "-N4", "--exclusive", "--wrap=sleep 900")
	within(t, time.Minute, "the job that keeps the nodes does not start", func() bool { return strings.TrimSpace(slurmtest.Run(t, "squeue", "-h", "-o", "%t")) == "R" })
	jobs := map[string]multifactor.Job{}
	for k := range 60 {
		j := multifactor.Job{Account: accounts[k%5], User: me.Username, Partitions: []string{[]string{"batch", "fast"}[k%2]}, QOS: []string{"high", "normal", "normal"}[k%3], Nodes: 1,
			CPUs: float64(1 + k*7%16), Limit: float64(1 + k%9), Nice: float64(10 * (k % 4))}
		memory := 100 * (1 + k%7)
		j.TRES = map[string]float64{"cpu": j.CPUs, "mem": float64(memory), "node": 1}
		id := slurmtest.Run(t, "sbatch", "--parsable", "--output=/dev/null", "-A", j.Account, "-p", j.Partitions[0], "-q", j.QOS, "-N1", fmt.Sprintf("-n%v", j.CPUs), fmt.Sprintf("-t%v", j.Limit),
			fmt.Sprintf("--nice=%v", j.Nice), fmt.Sprintf("--mem=%d", memory), "--wrap=sleep 1")
		jobs[strings.TrimSpace(id)] = j
	}
	submitted := time.Now().Unix()
	// The priorities are those of one pass where all jobs state its time, and the usage is that of the same pass where nothing changes between two looks.
	var priorities []sprioRow
	var usage string
	within(t, 3*time.Minute, "no pass computes the priorities of all jobs", func() bool {
		before, then := sprio(t), slurmtest.Run(t, "sshare", "-alP")
		priorities, usage = sprio(t), slurmtest.Run(t, "sshare", "-alP")
		oldest := slices.MinFunc(priorities, func(a, b sprioRow) int { return strings.Compare(a.cells[3], b.cells[3]) })
		return len(priorities) == len(jobs) && slices.EqualFunc(before, priorities, func(a, b sprioRow) bool { return a.text == b.text }) && then == usage && oldest.cells[3] != "0"
	})
	comparePriorities(t, settings, usage, jobs, priorities, float64(submitted))
}

// used counts the users of accounts that have used something.
func used(t *testing.T) (n int) {
	t.Helper()
	for line := range strings.Lines(slurmtest.Run(t, "sshare", "-alP", "-h")) {
		if cells := strings.Split(line, "|"); cells[1] != "" && cells[4] != "0" {
			n++
		}
	}
	return n
}

// within waits until something holds.
func within(t *testing.T, most time.Duration, failed string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(most); !holds(); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(failed)
		}
	}
}

// changeConf puts the lines of changed settings behind those of slurm.conf, and reads the file.
func changeConf(t *testing.T) *slurm.Settings {
	t.Helper()
	path := os.Getenv("SLURM_CONF")
	read := func() (*slurm.Settings, []byte) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		settings, err := slurm.ReadSettings(slurm.Source{Reader: bytes.NewReader(text), Name: path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return settings, text
	}
	from, text := read()
	to, err := from.With(map[string]string{
		"weight_age": "1000000", "weight_share": "20000", "weight_size": "3000", "weight_queue": "700", "weight_quality": "1500", "weight_association": "900", "max_age": "86400",
		"half_life": "43200", "favour_small": "true", "tests": "50",
	})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := slurm.ChangedLines(from, to)
	if err != nil {
		t.Fatal(err)
	}
	lines = append(lines, "PriorityWeightTRES=CPU=500,Mem=1000", "PartitionName=fast Nodes=ALL PriorityJobFactor=50 MaxTime=INFINITE State=UP", "")
	if err := os.WriteFile(path, append(text, strings.Join(lines, "\n")...), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, _ := read()
	return settings
}

// sprioRow is a row of sprio: the job, its priority and its terms.
type sprioRow struct {
	text  string
	cells []string
}

// sprio asks for the priorities.
func sprio(t *testing.T) (rows []sprioRow) {
	t.Helper()
	for line := range strings.Lines(slurmtest.Run(t, "sprio", "-h", "-o", "%i|%Y|%S|%A|%B|%F|%J|%P|%Q|%N|%T")) {
		line = strings.TrimSpace(line)
		cells := strings.Split(line, "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		rows = append(rows, sprioRow{line, cells})
	}
	return rows
}

// accrued are the Unix times since when the ages of jobs count, by id.
func accrued(t *testing.T) map[string]float64 {
	t.Helper()
	since := map[string]float64{}
	for line := range strings.Lines(slurmtest.Run(t, "env", "TZ=UTC", "scontrol", "-o", "show", "job")) {
		id, accrue := "", ""
		for _, word := range strings.Fields(line) {
			if rest, is := strings.CutPrefix(word, "JobId="); is {
				id = rest
			}
			if rest, is := strings.CutPrefix(word, "AccrueTime="); is {
				accrue = rest
			}
		}
		if at, err := time.Parse("2006-01-02T15:04:05", accrue); err == nil {
			since[id] = float64(at.Unix())
		}
	}
	return since
}

// comparePriorities compares what sprio printed with what we compute of the accounts, their usage and the jobs. The time of the pass is the one at which the age of the first job is
// as printed; it must be the same for all.
func comparePriorities(t *testing.T, settings *slurm.Settings, usage string, jobs map[string]multifactor.Job, rows []sprioRow, submitted float64) {
	t.Helper()
	source := func(name, text string) slurm.Source { return slurm.Source{Reader: strings.NewReader(text), Name: name} }
	associations, err := slurm.ReadAssociations(source("assoc", slurmtest.Run(t, "sacctmgr", "show", "assoc", "tree", "-P")), source("sshare", usage))
	if err != nil {
		t.Fatal(err)
	}
	qualities, err := slurm.ReadQualities(source("qos", slurmtest.Run(t, "sacctmgr", "show", "qos", "-P")))
	if err != nil {
		t.Fatal(err)
	}
	site := multifactor.Site{Nodes: 4, CPUs: 64, Qualities: qualities}
	for _, p := range settings.Partitions {
		of := p.Partition()
		of.Total = map[string]float64{"cpu": 64, "mem": 64000, "node": 4}
		site.Partitions = append(site.Partitions, of)
	}
	tree, err := multifactor.NewTree(settings.Priority, associations)
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := multifactor.NewLedger(tree, nil)
	if err != nil {
		t.Fatal(err)
	}
	ledger.Pass(0, nil)
	calculator, err := multifactor.NewCalculator(tree, site)
	if err != nil {
		t.Fatal(err)
	}
	since := accrued(t)
	factors := map[string]bool{}
	pass := 0.0
	for _, row := range rows {
		j, known := jobs[row.cells[0]]
		if !known {
			t.Fatalf("sprio shows a job %s", row.cells[0])
		}
		e, err := calculator.Entry(&j)
		if err != nil || e.Association < 0 {
			t.Fatalf("job %s: %v, association %d", row.cells[0], err, e.Association)
		}
		begin := since[row.cells[0]]
		if pass == 0 {
			for pass = submitted; pass < submitted+300 && fmt.Sprintf("%.0f", calculator.Age(pass, begin)) != row.cells[3]; pass++ {
			}
			t.Logf("a pass %v s after the last submission", pass-submitted)
		}
		terms := calculator.Terms(&e, 0, pass, begin)
		got := []string{row.cells[0], fmt.Sprintf("%.0f", terms.Priority(false))}
		for _, term := range []float64{terms.Site, terms.Age, terms.Assoc, terms.Fairshare, terms.JobSize, terms.Partition, terms.QOS, terms.Nice} {
			got = append(got, fmt.Sprintf("%.0f", term))
		}
		if want := row.cells[:len(got)]; !slices.Equal(got, want) {
			t.Errorf("job %s of %+v: got %v, sprio prints %v (TRES %s; ours %v)", row.cells[0], j, got, want, row.cells[len(row.cells)-1], terms.TRES)
		}
		factors[row.cells[5]] = true
	}
	if len(rows) != 60 || len(factors) < 4 {
		t.Errorf("compared %d jobs with %d fair shares, expected 60 with at least 4", len(rows), len(factors))
	}
}
