package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "check a solution against its instance, or schedules against reference schedules",
		ArgsUsage: "INSTANCE SOLUTION | --proof FILE [--objective METRIC] INSTANCE [SOLUTION] | --golden DIR SCHEDULE…",
		Description: `Prints ok and the metrics if the solution is correct. Otherwise it lists the violations with their codes, and the exit status is 3.
It lists the first 20 violations and counts the rest, which --json calls "more". If the solution was made for another instance, the first line says so.

With --proof FILE it verifies the certificate of a bound, which solve or bound has written. It computes in exact numbers and shares no code with the
programs that prove bounds. The verdict is verified; refuted, with the step that fails (exit status 3); or not certified, if there is nothing to
check (exit status 4). With a SOLUTION it also says whether the bound proves that the solution is optimal. If the solution breaks a rule or costs
less than the bound, the exit status is 3. A certificate has to be of the instance's objective, or of the one for which the solution was made; without
a solution --objective METRIC names another one. A certificate of any other objective proves nothing here: it is not certified.

With --golden DIR it compares the schedules of another scheduler with the reference schedules of fcfs, easy and conservative in the folder DIR
(golden in the repository; golden/README.md states the rules). A SCHEDULE is one of these:
  WORKLOAD.POLICY.csv           columns job and start, and optionally end and processors; or the columns of Batsim's jobs.csv
  WORKLOAD.POLICY_jobs.csv      Batsim's jobs.csv
  WORKLOAD.POLICY.swf           a trace with wait times
  WORKLOAD.POLICY.json          a solution
  a folder                      with such files
For each schedule that differs it says where it differs first, and which rule that breaks; then the exit status is 3. It also names the workloads
without a schedule; they do not change the status.

Examples:
  allot solve -o plan.json examples/table1.json && allot check examples/table1.json plan.json
  allot solve --proof proof.json -o plan.json examples/table1.json && allot check --proof proof.json examples/table1.json plan.json
  allot check --golden golden extra-twice.easy.csv`,
		Flags: append(flagsOf(new(question.Verify)), jsonFlag, goldenFlag, &cli.StringFlag{Name: "proof", Usage: "verify the certificate of a bound in `FILE`"}),
		Action: func(c *cli.Context) error {
			switch {
			case c.IsSet("golden") && c.IsSet("proof"):
				return usageErrorf("expected only one of --golden and --proof, found both")
			case c.IsSet("objective") && !c.IsSet("proof"):
				return usageErrorf("--objective goes with --proof: a solution states for which objective it was made")
			case c.IsSet("golden"):
				return checkGolden(c)
			case c.IsSet("proof"):
				return checkProof(c)
			}
			return runCheck(c)
		},
	}
}

// jsonFlag asks for JSON instead of a text for people.
var jsonFlag = &cli.BoolFlag{Name: "json", Usage: "write JSON"}

// runCheck checks one solution.
func runCheck(c *cli.Context) error {
	args, err := arguments(c, "INSTANCE", "SOLUTION")
	if err != nil {
		return err
	}
	in, list, err := readSchedules(args[0], args[1])
	if err != nil {
		return err
	}
	sol := list[0]
	report := answers.Check(in, sol)
	foreign := len(report.Violations) > 0 && report.Violations[0].Code == model.CodeWrongInstance
	if err := writeAnswer(c, "-", answers.CheckedOf(&report), func() string {
		text := new(strings.Builder)
		if foreign {
			fmt.Fprintf(text, "%s was made for another instance%s, not for %s\n", args[1], nameOf(sol), args[0])
		}
		writeReport(text, in, sol, &report)
		return text.String()
	}); err != nil {
		return err
	}
	if !report.OK() {
		found := numtext.Counted(len(report.Violations)+report.More, "violation")
		if foreign {
			found += "; it was made for another instance, not for " + args[0]
		}
		return &statusError{exitViolations, fmt.Errorf("%s: %s", args[1], found)}
	}
	return nil
}

// nameOf is the name of the instance that a solution was made for, to follow the word instance; empty where it states none.
func nameOf(sol *model.Solution) string {
	if sol.Instance == "" {
		return ""
	}
	return fmt.Sprintf(" (%s)", sol.Instance)
}

// writeReport writes a report of a solution for people.
func writeReport(w io.Writer, in *model.Instance, sol *model.Solution, report *model.Report) {
	for _, v := range report.Violations {
		fmt.Fprintln(w, v.Error())
	}
	if report.More > 0 {
		fmt.Fprintf(w, "and %s\n", numtext.Counted(report.More, "more violation"))
	}
	if !report.OK() {
		return
	}
	fmt.Fprintf(w, "ok\nobjective %s%s\n", numtext.Figure(report.Objective), minimisedText(in, sol))
	lines := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	writeMetrics(lines, in, report.Metrics)
	_ = lines.Flush() // the writer keeps what went wrong
}

// writeMetrics writes a line for each metric, and for each cluster where a metric has a value a cluster. A tab stands before the value.
func writeMetrics(lines io.Writer, in *model.Instance, metrics model.Metrics) {
	for _, m := range model.MetricTable() {
		value, ok := metrics[m.Name]
		switch {
		case !ok:
			continue
		case !m.PerCluster:
			fmt.Fprintf(lines, "%s\t%s\n", m.Name, numtext.Figure(value.Total))
		default:
			for _, cluster := range in.Clusters() {
				fmt.Fprintf(lines, "%s\t%s\n", printable(m.Name+"["+cluster.ID+"]"), numtext.Figure(value.ByCluster[cluster.ID]))
			}
		}
	}
}

// minimisedText names the objective that a solution was made for, where that is not the instance's own.
func minimisedText(in *model.Instance, sol *model.Solution) string {
	if sol.Minimised == nil {
		return ""
	}
	target, err := in.WithObjective(sol.Minimised)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (%s, minimised in place of the instance's %s)", shown.Objective(target), shown.Objective(in))
}
