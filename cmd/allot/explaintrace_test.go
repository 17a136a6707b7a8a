package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/solve"
)

// allotted runs the command in this process and returns what it writes to standard output.
func allotted(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(context.Background(), append([]string{"allot"}, args...), &stdout, &stderr); status != exitOK {
		t.Fatalf("%q: exit status %d\n%s", args, status, stderr.String())
	}
	return stdout.String()
}

var (
	headLine  = regexp.MustCompile(`^(\d+)\. at (\S+), ([a-z ]+): (.*)$`)
	spaceLine = regexp.MustCompile(`^     r (\d+), cp (\d+), filled (\d+)$`)
	scoreLine = regexp.MustCompile(`^   ([ >]) (C\d) +(\S+) `)
	placeLine = regexp.MustCompile(`^   (J\d): (C\d), processors (\S+), from (\S+) to (\S+)$`)
)

// The transcript of the case study (He et al. 2004, Table 1) is that of the worked example: the composition table (Table 2), the spaces with ε before them,
// processors from 1 as in the paper, and the schedule that the placements add up to, in both readings.
func TestTraceOfCaseStudy(t *testing.T) {
	wantTable := []string{"(J2) (J5)", "(J1) (J5, J2) (J6)", "(J2, J1) (J4) (J6, J5)", "(J3) (J4, J2) (J6, J1)", "(J3, J2) (J4, J1)", "(J3, J1) (J6, J4, J2)"}
	wantSpaces := []string{
		"C2 (0,6,1) 0, 0: J3 on 1–4, J1 on 5–6",
		"C1 (0,4,1) 0, 0.600000: J4 on 1–3, J2 on 4–4",
		"C2 (2,2,5) 1, 0.600000: J6 on 5–6",
		"C1 (4,1,4) 1, 1.42857: J5 on 4–4",
	}
	wantPlaced := []string{"J1 C2 4-5 0 2", "J2 C1 3 0 4", "J3 C2 0-3 0 4", "J4 C1 0-2 0 6", "J5 C1 3 4 6", "J6 C2 4-5 2 6"}
	wantRules := map[string][]string{"a": {"most processors", "least load", "least load", "least load"}, "b": {"most processors", "earliest space", "earliest space", "least load"}}
	for _, reading := range []string{"a", "b"} {
		text := allotted(t, "explain", "--trace", "--solver", "muscle:reading="+reading, "../../examples/table1.json")
		var table, spaces, rules, placed, epsilon, jobs []string
		cluster, at, space := "", "", ""
		end := func() {
			if len(jobs) > 0 {
				spaces = append(spaces, fmt.Sprintf("%s %s %s: %s", cluster, space, strings.Join(epsilon, ", "), strings.Join(jobs, ", ")))
			}
			epsilon, jobs = nil, nil
		}
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			if m := headLine.FindStringSubmatch(line); m != nil {
				end()
				at = m[2]
				if _, row, ok := strings.Cut(m[4], "row "); ok && m[3] == "composition table" && strings.HasPrefix(m[4], "row") {
					table = append(table, row[3:])
				} else if m[3] != "composition table" {
					rules = append(rules, m[3])
				}
			} else if m := spaceLine.FindStringSubmatch(line); m != nil {
				first, _ := strconv.Atoi(m[2])
				if space = fmt.Sprintf("(%s,%s,%d)", at, m[1], first+1); m[1] != m[3] {
					t.Errorf("reading %s: a space of %s is filled up to %s", reading, m[1], m[3])
				}
			} else if m := scoreLine.FindStringSubmatch(line); m != nil {
				if epsilon = append(epsilon, m[3]); m[1] == ">" {
					cluster = m[2]
				}
			} else if m := placeLine.FindStringSubmatch(line); m != nil {
				set, err := model.ParseProcessorSet(m[3])
				if err != nil || m[2] != cluster || m[4] != at {
					t.Errorf("reading %s: a step on %s at %s places %q: %v", reading, cluster, at, line, err)
				}
				jobs = append(jobs, fmt.Sprintf("%s on %d–%d", m[1], set.Min()+1, set.Max()+1))
				placed = append(placed, strings.Join(m[1:], " "))
			}
		}
		end()
		slices.Sort(placed)
		for _, c := range []struct {
			name        string
			found, want []string
		}{{"table", table, wantTable}, {"spaces", spaces, wantSpaces}, {"placements", placed, wantPlaced}, {"rules", rules, wantRules[reading]}} {
			if diff := gocmp.Diff(c.want, c.found); diff != "" {
				t.Errorf("reading %s, %s (-want +found): %s", reading, c.name, diff)
			}
		}
		if !strings.HasSuffix(text, "6 of 6 jobs placed; mcp = 2.75000\n") {
			t.Errorf("reading %s: the transcript ends with %q", reading, text[max(0, len(text)-60):])
		}
	}
}

// The lines of JSON hold eq. 3 of each cluster, and their placements are the schedule that allot solve writes; with a job they are those about the job.
func TestTraceAsJSON(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.json")
	for _, name := range []string{"muscle", "dll", "wrand", "minmin", "mts", "sufferage"} {
		for _, file := range []string{"table1", "multicluster"} {
			file = "../../examples/" + file + ".json"
			allotted(t, "solve", "--solver", name, "--seed", "5", "-o", plan, file)
			sol, err := model.ReadSolutionFile(plan)
			if err != nil {
				t.Fatal(err)
			}
			steps := stepLines(t, allotted(t, "explain", "--trace", "--json", file, plan))
			var placed []model.Placement
			for k, s := range steps {
				if s.Number != k+1 {
					t.Fatalf("%s of %s: line %d has step %d", name, file, k+1, s.Number)
				}
				placed = append(placed, s.Placed...)
				if name == "muscle" {
					checkEpsilon(t, &s)
				}
			}
			sorted := func(list []model.Placement) []model.Placement {
				return slices.SortedFunc(slices.Values(list), func(a, b model.Placement) int { return strings.Compare(a.Job, b.Job) })
			}
			if diff := gocmp.Diff(sorted(sol.Jobs), sorted(placed)); diff != "" {
				t.Errorf("%s of %s: schedule (-solve +trace): %s", name, file, diff)
			}
			job := sol.Jobs[len(sol.Jobs)/2].Job
			about := slices.DeleteFunc(steps, func(s solve.Step) bool { return !s.About(job) })
			if diff := gocmp.Diff(about, stepLines(t, allotted(t, "explain", "--trace", "--json", "--solver", name, "--seed", "5", file, job))); diff != "" || len(about) == 0 {
				t.Errorf("%s of %s, about %s: %s", name, file, job, diff)
			}
		}
	}
}

// stepLines reads lines of JSON.
func stepLines(t *testing.T, text string) []solve.Step {
	t.Helper()
	var steps []solve.Step
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s solve.Step
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		steps = append(steps, s)
	}
	return steps
}

// checkEpsilon computes eq. 3 again from the terms of each cluster: ε = p·etSum·sizeSum/(slkSum·m).
func checkEpsilon(t *testing.T, s *solve.Step) {
	t.Helper()
	for _, score := range s.Scores {
		terms := map[string]float64{}
		for _, term := range score.Terms {
			terms[term.Name] = term.Value
		}
		want := terms["p"] * terms["etSum"] * terms["sizeSum"] / (max(terms["slkSum"], 1e-9) * terms["m"])
		if len(terms) != 6 || math.Abs(*score.Value-want) > 1e-9*want {
			t.Errorf("step %d: ε of %s is %v, and %v make %v", s.Number, score.Cluster, *score.Value, score.Terms, want)
		}
	}
}

// A writer that fails ends the run with that failure.
func TestTraceWithoutReader(t *testing.T) {
	in, err := readInstance("../../examples/table1.json")
	if err != nil {
		t.Fatal(err)
	}
	choice, err := solve.Choose("muscle")
	if err != nil {
		t.Fatal(err)
	}
	run := traced{Traced: &answers.Traced{In: in, Choice: choice}}
	if _, err := run.write(context.Background(), deafWriter{}, true); err == nil || !strings.Contains(err.Error(), os.ErrClosed.Error()) {
		t.Errorf("found error %v", err)
	}
}

// deafWriter fails.
type deafWriter struct{}

func (deafWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }
