package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/serve/answers"
)

// proofFlag names the file that the certificate is written to.
func proofFlag(of string) cli.Flag {
	return &cli.StringFlag{Name: "proof", Usage: "write a certificate of " + of + " to `FILE`; allot check --proof verifies it"}
}

// writeProof writes the certificate if the flag asks for one. Without a bound there is no certificate; then it says so, and removes a file of an earlier run,
// which would look like the certificate of this one.
func writeProof(c *cli.Context, certificate *proof.Certificate) error {
	path := c.String("proof")
	switch {
	case !c.IsSet("proof"):
		return nil
	case certificate != nil:
		return write(c, path, certificate.Write)
	}
	text := "no bound is known, so no certificate was written"
	if info, err := os.Stat(path); path != "-" && err == nil && info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return cannotWrite(path, err)
		}
		text += fmt.Sprintf("; %s was of an earlier run and is removed", path)
	}
	_, err := fmt.Fprintln(c.App.ErrWriter, "allot: "+printable(text))
	return err
}

// checkProof verifies a certificate, and whether it proves a solution optimal.
func checkProof(c *cli.Context) error {
	names := []string{"INSTANCE", "SOLUTION"}[:min(2, max(1, c.NArg()))]
	args, err := arguments(c, names...)
	if err != nil {
		return err
	}
	if err := oneFromStdin("--proof, INSTANCE and SOLUTION", append([]string{c.String("proof")}, args...)...); err != nil {
		return err
	}
	in, list, err := readSchedules(args[0], args[1:]...)
	if err != nil {
		return err
	}
	certificate, err := proof.ReadFile(c.String("proof"))
	if err != nil {
		return err
	}
	target, err := withObjective(c, in)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	var sol *model.Solution
	if len(list) > 0 {
		sol = list[0]
	}
	out, found := answers.Verify(ctx, target, certificate, sol, c.String("objective") != "")
	if err := writeAnswer(c, "-", found, func() string { return outcomeText(in, certificate, out, len(list) > 0) }); err != nil {
		return err
	}
	return statusOfOutcome(c.String("proof"), out)
}

// statusOfOutcome is the error of a certificate that does not hold.
func statusOfOutcome(path string, out proof.Outcome) error {
	switch {
	case out.Verdict == proof.Refuted:
		return &statusError{exitViolations, fmt.Errorf("%s: refuted", path)}
	case out.Wrong:
		return &statusError{exitViolations, errors.New(out.Why)}
	case out.Verdict == proof.NotCertified:
		return &statusError{exitNoSolution, fmt.Errorf("%s: not certified", path)}
	}
	return nil
}

// outcomeText is the outcome for people.
func outcomeText(in *model.Instance, certificate *proof.Certificate, out proof.Outcome, solution bool) string {
	name := "objective"
	if target, err := in.WithObjective(certificate.Objective); err == nil {
		name = shown.Objective(target)
		if own := shown.Objective(in); own != name {
			name += " (instead of the instance's " + own + ")"
		}
	}
	claim := name + " is infeasible"
	if value, known := certificate.Bound.Max(certificate.Stated).Value(); known {
		claim = fmt.Sprintf("%s ≥ %s", name, numtext.Figure(value))
	}
	if certificate.Owed > 0 {
		claim += fmt.Sprintf(", of schedules that owe %s, as every schedule owes as many at least", numtext.Counted(certificate.Owed, "job"))
	}
	text := fmt.Sprintf("%s: %s\n", out.Verdict, claim)
	if out.Reason != "" {
		if out.Step != "" {
			text += out.Step + ": "
		}
		text += out.Reason + "\n"
	}
	switch {
	case !solution:
	case out.Optimal:
		text += fmt.Sprintf("optimal, proved: the solution costs %s\n", numtext.Figure(*out.Objective))
	case out.Why != "":
		text += "the solution is not proved optimal: " + out.Why + "\n"
		if out.Gap != nil {
			text += fmt.Sprintf("the solution costs %s, gap %.2f %%\n", numtext.Figure(*out.Objective), *out.Gap)
		}
	}
	return text
}
