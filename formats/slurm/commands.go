package slurm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// Ask asks the Slurm of this machine for its queue, by commands that only read. Versions whose scontrol knows no --json are asked with sinfo and for text.
func Ask(ctx context.Context) (Sources, error) {
	var src Sources
	for _, question := range []struct {
		into  *Source
		ways  []string // commands, the next where one is refused
		spare bool     // Slurm may not have it: sites without a database have no limits
	}{
		{&src.Jobs, []string{jobsCommand}, false},
		{&src.Nodes, []string{nodesCommand, "sinfo --json"}, false},
		{&src.Partitions, []string{partitionsCommand, "scontrol show partitions"}, false},
		{&src.Reservations, []string{reserveCommand, "scontrol show reservations"}, false},
		{&src.Licences, []string{licencesCommand, "scontrol show licenses"}, false},
		{&src.Config, []string{configCommand}, true},
		{&src.QOS, []string{qosCommand}, true},
		{&src.Associations, []string{assocCommand}, true},
	} {
		var err error
		for _, way := range question.ways {
			var text []byte
			if text, err = run(ctx, way); err == nil {
				*question.into = Source{bytes.NewReader(text), way}
				break
			}
		}
		if err != nil && !(question.spare && ctx.Err() == nil) {
			return Sources{}, err
		}
	}
	return src, nil
}

// run runs a command and returns its output. It does not pass on settings of the user that would filter the list. Hidden partitions are listed,
// because their jobs hold nodes too. Long lists of tasks are not cut. Times in text are in UTC.
func run(ctx context.Context, line string) ([]byte, error) {
	words := strings.Fields(line)
	path, err := exec.LookPath(words[0])
	if err != nil {
		return nil, fmt.Errorf("slurm: no command %s on this machine: run where Slurm's commands are, or give --jobs and --nodes", words[0])
	}
	command := exec.CommandContext(ctx, path, words[1:]...)
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "SQUEUE_") && !strings.HasPrefix(setting, "SINFO_") && !strings.HasPrefix(setting, "SCONTROL_") {
			command.Env = append(command.Env, setting)
		}
	}
	command.Env = append(command.Env, "SLURM_BITSTR_LEN=0", "SQUEUE_ALL=1", "SINFO_ALL=1", "SCONTROL_ALL=1", "TZ=UTC0")
	var complaint bytes.Buffer
	command.Stderr = &complaint
	text, err := command.Output()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("slurm: %s: %w", line, ctx.Err())
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return nil, fmt.Errorf("slurm: %s: %w: %s", line, err, lines.Name(first))
	}
	return text, nil
}
