package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// PoliciesAnswer is the result of policies.
type PoliciesAnswer struct {
	Report   Raw      `json:"report" schema:"PolicyReport" doc:"the report, as allot policies --json writes it"`
	Text     string   `json:"text" doc:"the report for people"`
	Data     string   `json:"data,omitempty" doc:"what reading the trace dropped and repaired"`
	Warnings []string `json:"warnings,omitempty" doc:"what went wrong although there is an answer"`
}

// policies compares policies on a trace.
func (c *call) policies(ctx context.Context, s *question.Policies) (*PoliciesAnswer, error) {
	opt := s.Options()
	opt.Workers = c.workers(0)
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if err := c.affordable(s.Time); err != nil {
		return nil, err
	}
	if _, _, err := c.named(s.Policies, answers.UsualPolicies); err != nil { // not only after the trace is read
		return nil, err
	}
	in, read, err := c.trace(c.one("trace"), s.Name, s.Processors, s.Files, "swf", "sacct")
	if err != nil {
		return nil, err
	}
	_, choices, err := c.named(answers.PoliciesOn(in, s.Policies, answers.UsualPolicies), nil)
	if err != nil {
		return nil, err
	}
	answer := &PoliciesAnswer{Data: read}
	if in, err = opt.On(in); err != nil {
		return nil, inDocument(c.one("trace"), err)
	}
	opt.Known = !bench.HoldsFuture(in)
	if err := c.admit(in, len(choices)); err != nil {
		return nil, err
	}
	ctx, cancel, err := c.within(ctx, 0, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	if _, err := lab.Compare(ctx, in, nil, opt.Options); err != nil { // not only after long runs
		return nil, inDocument(c.one("trace"), err)
	}
	runs := answers.PolicyRuns{
		In: in, Policies: choices, Options: &opt.Options,
		Settings: bench.Settings{Time: s.Time.Duration(), Options: solve.Options{Seed: s.Seed}},
		Step:     c.counted(len(choices)),
		Warn: func(policy, text string) {
			answer.Warnings = append(answer.Warnings, policy+": "+text)
		},
	}
	made, err := runs.Run(ctx)
	if err != nil {
		return nil, policyError(err)
	}
	report, err := lab.Compare(ctx, in, made, opt.Options)
	if err != nil {
		return nil, inDocument(c.one("trace"), err)
	}
	var text bytes.Buffer
	if err := answers.WriteOn(&text, in, report); err != nil {
		return nil, err
	}
	answer.Report, answer.Text = bytes.TrimSpace(text.Bytes()), report.Text()
	return answer, nil
}

// PolicyProgress is how far policies has come.
type PolicyProgress struct {
	Done int `json:"done" doc:"policies that have been run"`
	Of   int `json:"of" doc:"policies"`
}

// counted tells the client of each policy that has been run. It may be called by several goroutines.
func (c *call) counted(of int) func() {
	var mutex sync.Mutex
	done := 0
	return func() {
		mutex.Lock()
		defer mutex.Unlock()
		done++
		if c.progress != nil {
			c.progress(PolicyProgress{done, of})
		}
	}
}

// policyError is the error of a policy that has no schedule.
func policyError(err error) error {
	var policy *answers.PolicyError
	if !errors.As(err, &policy) {
		return err
	}
	return fail(map[answers.PolicyFault]Code{
		answers.PolicyFailed: failure, answers.PolicyWrong: wrongSchedule, answers.PolicyUnsupported: unsupported, answers.PolicyInfeasible: noAnswer, answers.PolicyStopped: noAnswer,
	}[policy.Kind], "%s", policy.Err)
}

// inDocument is an error about what a document says.
func inDocument(d *Document, err error) error {
	var option *answers.OptionError
	if errors.As(err, &option) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return wrongAt(faultsIn(d.Path, err))
}

// trace reads an instance or a trace in one of the formats, with the usual parameters and the processors; 0: as the trace says. The text says what was dropped.
func (c *call) trace(d *Document, name string, processors int, site slurm.Files, known ...string) (*model.Instance, string, error) {
	source, err := c.contents(d)
	if err != nil {
		return nil, "", err
	}
	name = cmp.Or(name, d.file, "trace")
	file := formats.Of(source, name)
	defer file.Close()
	format := file.Format
	if format == nil {
		in, err := model.ReadInstance(file, d.file)
		switch {
		case err != nil:
			return nil, "", c.unreadable(d, err)
		case processors > 0:
			return nil, "", wrong("processors", "expected it only for a trace in a foreign format; an instance states its processors itself")
		}
		in, err = c.withPolicy(in, site)
		return in, "", err
	}
	ok := false
	for _, name := range known {
		ok = ok || name == format.Name
	}
	if !ok {
		return nil, "", wrong(d.Path, "expected an instance or a trace (%v), found what looks like %s; the operation import makes an instance of it", known, format.Doc)
	}
	reader := format.New()
	if processors > 0 {
		if err := params.Set(reader, "processors", strconv.Itoa(processors)); err != nil {
			return nil, "", wrong("processors", "%s", err)
		}
	}
	trace, ofSacct := reader.(*slurm.TraceReader)
	if ofSacct {
		trace.Files, trace.Open = site.Texts()
	}
	in, report, err := reader.Read(file, name)
	if err != nil {
		return nil, "", c.importError(d, err)
	}
	if !ofSacct {
		in, err = c.withPolicy(in, site)
	}
	return in, report.String(), err
}

// withPolicy is an instance that states its machines, with the policy of a site.
func (c *call) withPolicy(in *model.Instance, site slurm.Files) (*model.Instance, error) {
	if err := refused("expected it only for what sacct -P prints", given{"nodes", site.Nodes != ""}, given{"partitions", site.Partitions != ""}); err != nil {
		return nil, err
	}
	files, open := site.Texts()
	in, err := files.Onto(in, open)
	if err != nil {
		return nil, wrongAt(faultsIn("slurm_conf", err))
	}
	return in, nil
}

// importError is the error of a reader of a foreign format.
func (c *call) importError(d *Document, err error) error {
	if c.budget.Err() != nil {
		return c.unreadable(d, err)
	}
	var parameter *params.Error
	if errors.As(err, &parameter) {
		return wrong(joined("param", parameter.Name), "%s", parameter.Fault())
	}
	var input *model.InputError
	if errors.As(err, &input) {
		faults := faultsIn(d.Path, err)
		for k := range input.Faults {
			if option := input.Faults[k].Option; option != "" {
				faults[k].Message = fmt.Sprintf("%s (parameter %s)", faults[k].Message, option)
			}
		}
		return wrongAt(faults)
	}
	return c.unreadable(d, err)
}
