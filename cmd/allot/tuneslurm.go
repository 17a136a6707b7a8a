package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/kballard/go-shellquote"
	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/lab/tune"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/question"
)

// slurmPolicy is the policy that is tuned where --slurm-conf is given and no policy.
const slurmPolicy = "backfill:order=slurm"

// tuneSlurmFlags are the flags for a site of Slurm.
func tuneSlurmFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "slurm-conf", Usage: "tune the settings of slurm.conf in `FILE`, which are the choice as it stands, and answer with the lines to change"},
		&cli.StringFlag{Name: "assoc", Usage: "with --slurm-conf: `FILE` with what sacctmgr show assoc -P prints (with ParentName in its format, or with tree): the shares of accounts and users"},
		&cli.StringFlag{Name: "qos", Usage: "with --slurm-conf: `FILE` with what sacctmgr show qos -P prints: the priorities of qualities of service"},
	}
}

// tunedPolicy is the policy that is tuned; empty: a solver.
func tunedPolicy(c *cli.Context, q *question.Tune) string {
	if q.Policy == "" && c.IsSet("slurm-conf") {
		return slurmPolicy
	}
	return q.Policy
}

// checkTuneSlurm checks the flags.
func checkTuneSlurm(c *cli.Context) error {
	for _, flag := range []string{"assoc", "qos", "judge"} {
		if c.IsSet(flag) && !c.IsSet("slurm-conf") {
			return usageErrorf("--%s: expected --slurm-conf too", flag)
		}
	}
	for _, flag := range []string{"vary", "runs", "total", "folder"} {
		if c.IsSet("judge") && c.IsSet(flag) {
			return usageErrorf("expected only one of --judge, which looks for nothing, and --%s; found both", flag)
		}
	}
	return nil
}

// tuneSlurm tunes the settings of a site, or judges some.
func tuneSlurm(ctx context.Context, c *cli.Context, q *question.Tune, opt tune.Options) (*tune.Answer, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	path := c.Args().First()
	hash := sha256.New()
	settings, err := readSlurmConf(c, hash)
	if err != nil {
		return nil, err
	}
	qos, err := readTraceQOS(c, path, settings)
	if err != nil {
		return nil, err
	}
	in, err := tunedTrace(c, path, &opt)
	if err != nil {
		return nil, err
	}
	files, err := readSlurmSite(c, hash)
	if err != nil {
		return nil, err
	}
	files.QOS = qos
	site, err := tune.NewSlurm(settings, in, *files)
	if err != nil {
		return nil, usageErrorf("%s: %w", c.String("slurm-conf"), err)
	}
	site.Again = func(settings []string) string { return judgeCommand(c, settings) }
	if _, err := settings.Parameters(); err != nil {
		return nil, usageErrorf("%s: %w", c.String("slurm-conf"), err)
	}
	space, err := tune.NewSlurmSpace(tunedPolicy(c, q), site, q.Vary, hex.EncodeToString(hash.Sum(nil)[:8]))
	if err != nil {
		return nil, usageErrorf("%w", err)
	}
	var answer *tune.Answer
	if len(q.Judge) > 0 {
		choice, err := space.SlurmChoice(q.Judge)
		if err != nil {
			return nil, usageErrorf("--judge: %w", err)
		}
		answer, err = tune.JudgeSlurm(ctx, space, in, tunedMetric(q), choice, opt)
		return answer, traceError(ctx, path, err)
	}
	answer, err = tune.Trace(ctx, space, in, tunedMetric(q), opt)
	return answer, traceError(ctx, path, err)
}

// readSlurmConf reads slurm.conf, with the files that it includes.
func readSlurmConf(c *cli.Context, hash io.Writer) (*slurm.Settings, error) {
	path := c.String("slurm-conf")
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	settings, err := slurm.ReadSettings(slurm.Source{Reader: io.TeeReader(file, hash), Name: model.InputName(path)}, func(name string) (io.ReadCloser, error) {
		included, err := model.Open(name)
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.TeeReader(included, hash), included}, nil
	})
	if err != nil {
		return nil, &statusError{exitInput, err}
	}
	return settings, nil
}

// readSlurmSite reads what sacctmgr says.
func readSlurmSite(c *cli.Context, hash io.Writer) (*tune.SlurmFiles, error) {
	files := &tune.SlurmFiles{}
	for _, f := range []struct {
		flag string
		read func(src slurm.Source) error
	}{
		{"assoc", func(src slurm.Source) (err error) {
			files.Associations, err = slurm.ReadAssociations(src, slurm.Source{})
			return err
		}},
		{"qos", func(src slurm.Source) (err error) {
			files.Qualities, err = slurm.ReadQualities(src)
			return err
		}},
	} {
		path := c.String(f.flag)
		if path == "" {
			continue
		}
		file, err := model.Open(path)
		if err != nil {
			return nil, err
		}
		err = f.read(slurm.Source{Reader: io.TeeReader(file, hash), Name: model.InputName(path)})
		if closed := file.Close(); err == nil && closed != nil {
			return nil, closed
		}
		if err != nil {
			return nil, &statusError{exitInput, err}
		}
	}
	return files, nil
}

// readTraceQOS reads the qualities of service of the jobs of a trace of sacct. The nodes of such a trace are those of slurm.conf, if it states some and no flag does. What comes
// from standard input cannot be read twice.
func readTraceQOS(c *cli.Context, path string, settings *slurm.Settings) (map[string]string, error) {
	if path == "-" {
		return nil, nil
	}
	file, err := formats.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if file.Format == nil || file.Format.Name != "sacct" {
		return nil, nil
	}
	if settings.HasNodes && !c.IsSet("nodes") && !c.IsSet("processors") {
		if err := c.Set("nodes", c.String("slurm-conf")); err != nil {
			return nil, err
		}
	}
	return slurm.ReadJobQualities(file)
}

// judgeCommand is the command that judges settings on the same part of the same trace.
func judgeCommand(c *cli.Context, settings []string) string {
	words := []string{"allot", "tune", "--slurm-conf", c.String("slurm-conf")}
	for _, flag := range []string{"policy", "assoc", "qos", "nodes", "partitions", "processors", "objective", "held-out", "confidence"} {
		if value := c.Value(flag); c.IsSet(flag) && !(flag == "nodes" && value == c.String("slurm-conf")) {
			words = append(words, "--"+flag, fmt.Sprint(value))
		}
	}
	for _, s := range settings {
		words = append(words, "--judge", s)
	}
	return shellquote.Join(append(words, c.Args().First())...)
}
