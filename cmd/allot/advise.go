package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/advise"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// otherPolicies are those that advise compares the site's policy with.
var otherPolicies = []string{"fcfs", "easy", "conservative", "easy:depth=5", "easy:order=sjf:bound_wait=172800"}

func adviseCommand() *cli.Command {
	return &cli.Command{
		Name:      "advise",
		Usage:     "a weekly page for a site: time limits, memory, waits, load, and whether another policy would serve better",
		ArgsUsage: "TRACE",
		Description: `Reads a trace (an SWF file, what sacct -P prints, or an instance) and replays it under the site's policy. It states what matters most in three sentences, then: shorter time limits that keep a
stated risk, and what they would change; memory and GPUs that jobs asked for and did not use; the jobs that waited longest, and why; load by partition and hour, and what more nodes
would change; whether another policy would serve better.

With -o FILE.html it writes a page to send on.

Examples:
  allot advise -o week.html TRACE.swf.gz
  allot advise --nodes nodes.txt --partitions partitions.txt --anonymise sacct.txt
  allot advise --only limits --risk 0.05 TRACE.swf.gz`,
		Flags: append(flagsOf(new(question.Advise)),
			processorsFlag(""),
			jsonFlag,
			outputFlag,
		),
		Action: taking(runAdvise, "TRACE"),
	}
}

// runAdvise makes the page.
func runAdvise(c *cli.Context, args []string) error {
	var q question.Advise
	if err := cmp.Or(asked(c, &q), checkWritable(c.String("output"))); err != nil {
		return err
	}
	if _, err := siteOf(nil, &q); q.Policy != "" && err != nil { // not only after the trace is read
		return err
	}
	input, data, err := readSite(c, &q, args[0])
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	report, err := advise.Make(ctx, *input)
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	for _, part := range advise.Parts() {
		if q.Only == "" || q.Only == part {
			report.Commands[part] = adviseCommandLine(c, args[0], part)
		}
	}
	if path := c.String("output"); strings.EqualFold(filepath.Ext(path), ".html") && !c.Bool("json") {
		return writeAdvice(c, path, report, data)
	}
	return writeAnswer(c, c.String("output"), report, report.Text)
}

// siteOf is the policy that is asked for, else that of the site of the instance.
func siteOf(in *model.Instance, q *question.Advise) (solve.Choice, error) {
	name := q.Policy
	if name == "" && in != nil {
		name = answers.NamedPolicy(in, "")
	}
	site, err := solve.Choose(name)
	if err != nil {
		return site, usageErrorf("--policy: %w", err)
	}
	if _, online := solve.PolicyOf(site.Solver); !online {
		return site, usageErrorf("--policy: expected an on-line policy, one of %s; found %s", onlineSolvers(false), site.Label)
	}
	return site, nil
}

// writeAdvice writes the page, and what matters most for whoever wrote it.
func writeAdvice(c *cli.Context, path string, report *advise.Report, data []string) error {
	from := lab.Origin{Command: commandOfThis(c), Data: data, Version: solve.Version()}
	if err := writeFile(path, func(w io.Writer) error { return report.WritePage(w, from) }); err != nil {
		return err
	}
	return writePlain(c, "-", report.FirstLines())
}

// readSite reads the trace and says how it is replayed. Data is what reading dropped and repaired, a line each; of an instance nothing.
func readSite(c *cli.Context, q *question.Advise, path string) (made *advise.Input, data []string, err error) {
	file, err := formats.Open(path)
	if errors.Is(err, fs.ErrNotExist) && strings.EqualFold(path, slurm.Format) {
		return nil, nil, presentQueue(path)
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	var text io.Reader = file
	kept := new(bytes.Buffer) // of standard input, which can be read only once
	if path == "-" {
		text = io.TeeReader(file, kept)
	}
	if isQueue(file.Begin()) {
		return nil, nil, presentQueue(path)
	}
	in, read, err := readOpened(c, path, text, file.Format, q.Files, "a trace in the Standard Workload Format or of sacct", "swf", "sacct")
	if err != nil {
		return nil, nil, err
	}
	site, err := siteOf(in, q)
	if err != nil {
		return nil, nil, err
	}
	options, known := lab.Defaults().In(in.Units().Time)
	if !known {
		return nil, nil, usageErrorf("%s: expected times in a unit that is known, found %q", path, in.Units().Time)
	}
	options.Confidence, options.Replicates, options.Seed = q.Confidence, q.Replicates, q.Seed
	if !bench.HoldsFuture(in) {
		return nil, nil, usageErrorf("%s: expected jobs that arrive over time, found that all is known from the start, as of a batch or of the present queue (allot import slurm); give what sacct -P prints of past jobs", path)
	}
	if _, err := lab.Compare(c.Context, in, nil, options); err != nil {
		return nil, nil, usageErrorf("%s: %w", path, err)
	}
	needs, named, err := readNeeds(path, kept, read)
	if err != nil {
		return nil, nil, err
	}
	hide := func(text string) string { return text }
	if q.Anonymise {
		if in, needs, hide, err = advise.Anonymised(in, needs); err != nil {
			return nil, nil, err
		}
	}
	if read != nil {
		data = strings.Split(hide(read.String()), "\n")
	}
	input := &advise.Input{
		Instance: in, Needs: needs, Named: named, Policy: site.Label, Only: q.Only, Rules: advise.Rules{Risk: q.Risk, Confidence: options.Confidence}, More: q.More,
		Options: options, Anonymous: q.Anonymise, Anyway: q.Anyway,
	}
	replayed(input, site, q.Seed)
	return input, data, nil
}

// presentQueue says why the queue of a Slurm as it is now is no ground for advice.
func presentQueue(path string) error {
	return usageErrorf("%s: expected a trace of jobs that have ended, found the present queue, which tells neither how long jobs run nor what they use in the end: give what sacct -P prints of some months "+
		"(sacct -P -D -a -S 2026-01-01 -o JobID,User,State,Submit,Start,End,TimelimitRaw,NCPUS,…); when the waiting jobs will start, allot import slurm and allot simulate tell", path)
}

// isQueue reports whether a file begins as what squeue or scontrol show job prints.
func isQueue(begin []byte) bool {
	begin = bytes.TrimSpace(begin)
	title, _, _ := bytes.Cut(begin, []byte("\n"))
	return bytes.HasPrefix(begin, []byte("{")) && bytes.Contains(begin, []byte(`"job_state"`)) || bytes.HasPrefix(begin, []byte("JobId=")) ||
		bytes.HasPrefix(title, []byte("JOBID")) && bytes.Contains(title, []byte("PARTITION"))
}

// replayed says which policies replay the trace, and how.
func replayed(input *advise.Input, site solve.Choice, seed uint64) {
	input.Run = func(ctx context.Context, policy string, in *model.Instance) (*model.Solution, error) {
		choice, err := solve.Choose(policy)
		if err != nil {
			return nil, err
		}
		row := bench.Measure(ctx, choice, in, bench.Settings{Options: solve.Options{Seed: seed, Unbounded: true}})
		if ctx.Err() != nil {
			return nil, errInterrupted
		}
		return row.Solution, answers.WithoutSchedule(&row)
	}
	input.Explain = func(ctx context.Context, in *model.Instance, job string) (*whatif.Answer, error) {
		policy, _ := solve.PolicyOf(site.Solver)
		return whatif.Submit(ctx, site.Label, policy, in, job, seed)
	}
	presolver := solve.NewPresolver(input.Instance)
	for _, other := range otherPolicies {
		if choice, err := solve.Choose(other); err == nil && choice.Label != site.Label && presolver.Supports(choice.Solver, false) == nil {
			input.Others = append(input.Others, other)
		}
	}
}

// adviseCommandLine is the command that makes one part of a report alone.
func adviseCommandLine(c *cli.Context, trace, part string) string {
	words := []string{"allot", "advise", "--only", part}
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		if !c.IsSet(name) || slices.Contains([]string{"only", "output", "json"}, name) {
			continue
		}
		if _, isBool := flag.(*cli.BoolFlag); isBool {
			words = append(words, "--"+name)
		} else {
			words = append(words, "--"+name, fmt.Sprint(c.Value(name)))
		}
	}
	return shellquote.Join(append(words, trace)...)
}

// readNeeds reads a trace a second time, for what an instance does not have: names, and what jobs used. An instance has none of it. Of standard input the text is kept.
func readNeeds(path string, kept io.Reader, read *model.ImportReport) (needs map[string]advise.Needs, named bool, err error) {
	if read == nil {
		return nil, false, nil
	}
	if path != "-" {
		file, err := formats.Open(path)
		if err != nil {
			return nil, false, err
		}
		defer file.Close()
		kept = file
	}
	needs = map[string]advise.Needs{}
	add := func(id string, n advise.Needs) {
		named = named || n.Name != ""
		needs[id] = n
	}
	if read.Format == "sacct" {
		usage, err := slurm.ReadUsage(kept)
		for id, u := range usage {
			add(id, advise.Needs(u))
		}
		return needs, named, err
	}
	usage, err := swf.ReadUsage(kept)
	for id, u := range usage {
		add(id, advise.Needs{Name: u.Name, Memory: u.Memory, Used: u.Used, Devices: -1, Busy: -1})
	}
	return needs, named, err
}
