package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/lab/golden"
)

// goldenFlag names a folder of reference schedules.
var goldenFlag = &cli.StringFlag{Name: "golden", Usage: "compare schedules with the reference schedules in `DIR`, such as the folder golden"}

// checkGolden compares schedules of another scheduler with reference schedules.
func checkGolden(c *cli.Context) error {
	if c.NArg() == 0 {
		return usageErrorf("expected --golden DIR SCHEDULE…, found no schedule; see %s --help", c.Command.HelpName)
	}
	set, err := golden.Open(c.String("golden"))
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	report, err := set.Check(ctx, c.Args().Slice())
	if err != nil {
		return err
	}
	if err := writeAnswer(c, "-", struct {
		OK bool `json:"ok"`
		*golden.Report
	}{report.OK(), report}, func() string { return goldenText(set, report) }); err != nil || report.OK() {
		return err
	}
	differ := 0
	for _, r := range report.Results {
		if r.Difference != nil {
			differ++
		}
	}
	return &statusError{exitViolations, fmt.Errorf("%d of %s differ from the reference", differ, numtext.Counted(len(report.Results), "schedule"))}
}

// goldenText is a report for people: what differs, what is right, what was not there.
func goldenText(set *golden.Set, report *golden.Report) string {
	w := new(strings.Builder)
	for _, r := range report.Results {
		if r.Difference == nil {
			fmt.Fprintf(w, "%s: ok, %s\n", r.File, numtext.Counted(r.Jobs, "start"))
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", r.File, strings.ReplaceAll(r.Difference.String(), "\n", "\n  "))
	}
	for _, policy := range slices.Sorted(maps.Keys(report.Missing)) {
		if missing := report.Missing[policy]; len(missing) > 0 {
			fmt.Fprintf(w, "%s: no schedule for %d of %s: %s\n", policy, len(missing), numtext.Counted(len(set.Workloads), "workload"), strings.Join(missing, ", "))
		}
	}
	if len(report.Passed) > 0 {
		fmt.Fprintf(w, "skipped, because the names are not WORKLOAD.POLICY.csv, .swf or .json: %s\n", strings.Join(report.Passed, ", "))
	}
	return w.String()
}
