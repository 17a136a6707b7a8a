package tune

import (
	"strings"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/document"
)

// text writes the end of an answer for people: the waits by class, the lines, and the command that shows the effect again.
func (s *SlurmConf) text(b *strings.Builder, a *Answer) {
	if s == nil {
		return
	}
	if a.Policies != nil {
		b.WriteString("\n" + a.Policies.Waits())
	}
	switch {
	case len(s.Lines) > 0:
		b.WriteString("\nLines of slurm.conf to change, with what they were:\n\n" + strings.Join(s.block(), "\n") + "\n")
	case len(s.Tried) > 0:
		b.WriteString("\nNo line of slurm.conf is to be changed. These were judged:\n\n  # " + strings.Join(s.block(), "\n  # ") + "\n")
	default:
		b.WriteString("\nNo line of slurm.conf is to be changed.\n")
	}
	if s.Command != "" {
		b.WriteString("\nSee the effect again:\n  " + s.Command + "\n")
	}
}

// block is the lines that were judged, one a setting, to copy into slurm.conf: behind each stands what it was, as a comment.
func (s *SlurmConf) block() (list []string) {
	for k, line := range s.Tried {
		if s.Before[k] != "" {
			line += "  # was " + s.Before[k]
		}
		list = append(list, line)
	}
	return list
}

// parts are the sections of a page: the lines first.
func (s *SlurmConf) parts() []document.Part {
	if s == nil {
		return nil
	}
	part := document.Part{Name: "Lines of slurm.conf to change, with what they were", Lines: s.block(), Command: s.Command, Text: "The other lines stay as they are. After slurm.conf is changed on all nodes, scontrol reconfigure reads it. The command shows the effect again."}
	switch {
	case len(s.Lines) > 0:
	case len(s.Tried) > 0:
		part.Name, part.Text, part.Lines = "Keep your slurm.conf", "These lines were judged, and no gain is shown. The command shows the effect again.", s.block()
	default:
		part.Name, part.Text = "Keep your slurm.conf", "Nothing better was found."
	}
	return []document.Part{part}
}

// terms are the name and the values of a parameter as the reader writes them: of slurm.conf, where that is tuned.
func (a *Answer) terms(name string, values ...string) (string, []string) {
	if a.SlurmConf == nil {
		return name, values
	}
	p, err := slurm.PolicySettingOf(name)
	if err != nil {
		return name, values
	}
	var list []string
	for _, value := range values {
		if text, err := p.FromPolicy(value); err == nil {
			value = text
		}
		list = append(list, value)
	}
	return p.Name, list
}
