package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/solve"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "show which build this is",
		Description: "Shows the version, commit, Go version and build tags, and whether the build contains the MILP solver HiGHS.\n\nExample:\n  allot version --json",
		Flags:       []cli.Flag{jsonFlag},
		Action: taking(func(c *cli.Context, _ []string) error {
			b := buildOf(debug.ReadBuildInfo())
			return writeAnswer(c, "-", b, b.text)
		}),
	}
}

// build describes the origin and the content of the program.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"` // empty: not recorded
	Modified bool   `json:"modified,omitempty"`
	Time     string `json:"commit_time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Tags     string `json:"tags,omitempty"` // separated by commas
	HiGHS    bool   `json:"highs"`
}

// buildOf reads what the Go tool has recorded.
func buildOf(info *debug.BuildInfo, recorded bool) build {
	b := build{Version: solve.Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, HiGHS: milp.Missing() == nil}
	if !recorded {
		return b
	}
	revision := solve.RevisionOf(info)
	b.Commit, b.Time, b.Modified = revision.Commit, revision.Time, revision.Modified
	for _, setting := range info.Settings {
		if setting.Key == "-tags" {
			b.Tags = setting.Value
		}
	}
	return b
}

// text describes the build for people.
func (b build) text() string {
	commit, tags, highs := "not recorded", "none", "not in this build"
	if b.Commit != "" {
		commit = b.Commit + " of " + b.Time
		if b.Modified {
			commit += ", with changes"
		}
	}
	if b.Tags != "" {
		tags = b.Tags
	}
	if b.HiGHS {
		highs = "in this build"
	}
	return fmt.Sprintf("allot %s\ncommit: %s\ngo: %s, %s\nbuild tags: %s\nHiGHS: %s\n", b.Version, commit, b.Go, b.Platform, tags, highs)
}
