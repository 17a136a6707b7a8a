package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/slurmtest"
	"github.com/allot-opt/allot/serve/answers"
)

// slurmBeside is a Slurm that one of several tests at the same time uses.
type slurmBeside struct {
	configuration, folder string
	environment           []string
}

// run runs a command that talks to it.
func (s slurmBeside) run(t *testing.T, words ...string) string {
	t.Helper()
	command := exec.Command("env", words...) // which looks for the command in its own PATH
	command.Dir, command.Env = s.folder, append(os.Environ(), s.environment...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	text, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", words, err, stderr.String())
	}
	return string(text)
}

// starts are the Unix times at which jobs started, by what Slurm wrote of those that have ended.
func (s slurmBeside) starts(t *testing.T) map[string]float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(s.configuration), "jobcomp.txt"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, m := range regexp.MustCompile(`(?m)^JobId=(\d+) .* JobState=(\w+) .* StartTime=(\S+) `).FindAllStringSubmatch(string(text), -1) {
		start, err := time.Parse("2006-01-02T15:04:05", m[3])
		if err != nil || m[2] != "COMPLETED" {
			t.Errorf("job %s: %s, %v", m[1], m[2], err)
		}
		found[m[1]] = float64(start.Unix())
	}
	return found
}

// TestSlurmForecast submits 50 jobs to a real Slurm while another job fills it, forecasts when they start, and compares with when they did. With right limits each job
// runs for 2 s less than its limit; else for 5 s to 50 s of a limit of 1 or 2 minutes.
//
// How far a forecast with right limits may be off: a job ends 2 s before its limit, and Slurm needs up to 5 s from the end of a job to the start of the next (it looks at
// the queue every second, starts several jobs one after the other and counts in whole seconds), so that each job in a chain of at most 5 shifts the next by up to 3 s: 15 s in all. A
// job that goes before another for such a shift moves by a minute; few do.
func TestSlurmForecast(t *testing.T) {
	for _, right := range []bool{true, false} {
		t.Run(map[bool]string{true: "right limits", false: "limits too long"}[right], func(t *testing.T) {
			t.Parallel()
			forecastReal(t, right)
		})
	}
}

// forecastPolicies are the policies whose forecasts are compared.
const forecastPolicies = "fcfs,easy,easy:depth=5,conservative,conservative:order=priority,multifactor=easy:order=multifactor,sjf=easy:order=sjf"

// forecastReal is the test for limits that are right or too long.
func forecastReal(t *testing.T, right bool) {
	const jobs = 50
	const nodes = 11
	environment := slurmtest.StartAside(t, nodes)
	s := slurmBeside{strings.TrimPrefix(environment[0], "SLURM_CONF="), t.TempDir(), environment}
	rng := rand.New(rand.NewPCG(3, 5))
	sbatch := func(processors, limit, seconds int) string {
		return strings.TrimSpace(s.run(t, "sbatch", "--parsable", "--output=/dev/null", "-n", strconv.Itoa(processors), "-t", strconv.Itoa(limit), "--wrap=sleep "+strconv.Itoa(seconds)))
	}
	first := sbatch(16*nodes, 1, 58)
	for s.run(t, "squeue", "-h", "-t", "running") == "" {
		time.Sleep(100 * time.Millisecond)
	}
	for k := range jobs {
		processors, limit := 1+rng.IntN(6), 1
		switch x := rng.IntN(20); {
		case x < 4:
			processors = 8 + rng.IntN(9)
		case x < 5:
			processors = 40 + rng.IntN(40)
		}
		if rng.IntN(4) == 0 && k < jobs/2 { // a long job at the end would make the test longer and show nothing
			limit = 2
		}
		seconds := 5 + rng.IntN(46)
		if right {
			seconds = 60*limit - 2
		}
		sbatch(processors, limit, seconds)
	}
	queue, now := filepath.Join(t.TempDir(), "queue.json"), float64(time.Now().Unix())
	s.run(t, "allot", "import", "slurm", "--now", fmt.Sprintf("%.0f", now), "-o", queue)
	var answer answers.StartTable
	text := s.run(t, "allot", "simulate", "--json", "--policies", forecastPolicies, queue)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Running != 1 || len(answer.Jobs) != jobs || len(answer.Notes) > 0 {
		t.Fatalf("%d jobs run, %d wait, %v", answer.Running, len(answer.Jobs), answer.Notes)
	}
	deadline := time.Now().Add(6 * time.Minute)
	for s.run(t, "squeue", "-h") != "" {
		if time.Now().After(deadline) {
			t.Fatal("the jobs do not end")
		}
		time.Sleep(time.Second)
	}
	starts := s.starts(t)
	if len(starts) != jobs+1 || starts[first] > now {
		t.Fatalf("%d jobs have ended", len(starts))
	}
	judge(t, &answer, starts, now, right)
}

// judge compares forecasts with the truth.
func judge(t *testing.T, answer *answers.StartTable, starts map[string]float64, now float64, right bool) {
	var truth []float64
	total := 0.0
	for _, j := range answer.Jobs {
		truth = append(truth, starts[j.Job]-now)
		total += starts[j.Job] - now
	}
	n := float64(len(truth))
	report := fmt.Sprintf("%.0f jobs waited %.0f s on average, the last %.0f s", n, total/n, slices.Max(truth))
	mean, bias, order := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, policy := range answer.Policies {
		var errors, planned []float64
		for k, j := range answer.Jobs {
			off := *j.Starts[policy].Start - truth[k]
			errors, planned = append(errors, math.Abs(off)), append(planned, *j.Starts[policy].Start)
			mean[policy] += math.Abs(off) / n
			bias[policy] += off / n
		}
		slices.Sort(errors)
		order[policy] = concordance(planned, truth)
		report += fmt.Sprintf("\n%-27s mean error %5.1f s, median %5.1f s, largest %5.1f s, planned later by %6.1f s on average, order %.2f",
			policy, mean[policy], errors[len(errors)/2], errors[len(errors)-1], bias[policy], order[policy])
	}
	t.Log(report)
	for _, policy := range []string{"fcfs", "easy", "easy:depth=5", "conservative"} {
		switch {
		case right && (mean[policy] > 15 || order[policy] < 0.8):
			t.Errorf("%s: expected a mean error of at most 15 s and an order of at least 0.8", policy)
		case !right && (bias[policy] < 0 || order[policy] < 0.6):
			t.Errorf("%s: expected starts no later than planned on average, as jobs end early, and an order of at least 0.6", policy)
		}
	}
	if right && (order["sjf"] >= order["conservative"] || mean["sjf"] <= mean["conservative"]) {
		t.Error("the order in which Slurm starts the jobs is told no better than by their lengths")
	}
}

// concordance is Kendall's tau-b of two lists: 1 where they order all pairs alike, 0 where half of them.
func concordance(a, b []float64) float64 {
	agree, inA, inB := 0, 0, 0
	for i := range a {
		for k := range i {
			x, y := cmp.Compare(a[i], a[k]), cmp.Compare(b[i], b[k])
			agree += x * y
			inA += x * x
			inB += y * y
		}
	}
	return float64(agree) / math.Sqrt(float64(inA)*float64(inB))
}
