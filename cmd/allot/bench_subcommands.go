package main

import "github.com/urfave/cli/v2"

// benchSubcommands are the subcommands of allot bench.
func benchSubcommands() []*cli.Command {
	return []*cli.Command{benchReportCommand(), benchDiffCommand(), benchSlurmCommand()}
}
