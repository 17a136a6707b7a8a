package advise

import (
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/internal/timetext"
)

// percent is a share in per cent.
func percent(x float64) string { return numtext.Significant(100*x, 2) + " %" }

// counted is a number of things.
func counted(n int, thing string, plural ...string) string {
	return numtext.CountedGrouped(n, thing, plural...)
}

// seconds is a length of time for people.
func seconds(x float64) string {
	return timetext.Of(x, "s", func(x float64) string { return numtext.Significant(x, 3) })
}

// processorHours is a processor time in seconds, for people.
func processorHours(x float64) string {
	return numtext.Significant(x/3600, 3) + " processor hours"
}

// megabytes is an amount of memory for people.
func megabytes(x float64) string {
	if x >= 1024 {
		return numtext.Significant(x/1024, 3) + " GB"
	}
	return numtext.Significant(x, 3) + " MB"
}

// legible is a name in at most 20 cells.
func legible(name string) string {
	return texttable.Shorten(plaintext.Printable(strings.Join(strings.Fields(name), " ")), 20)
}

// isBetter says that a sentence of an answer says that something serves better.
func isBetter(sentence string) bool {
	return strings.Contains(sentence, "is shown to be better than") && !strings.HasPrefix(sentence, "No policy")
}

// who names the jobs of a kind.
func (k *Kind) who() string {
	var parts []string
	for _, part := range []struct{ what, name string }{{"user", k.User}, {"job", k.Name}, {"queue", k.Queue}} {
		if part.name != "" {
			parts = append(parts, part.what+" "+legible(part.name))
		}
	}
	if k.User == "" {
		parts = append(parts, "user unknown")
	}
	return strings.Join(parts, ", ")
}

// what says in a few words what the advice is, or why there is none. Advice on a limit needs at least needed jobs.
func (l *Limit) what(needed int) string {
	switch l.State {
	case Advised:
		return "ask for " + seconds(l.Limit)
	case tooFew:
		if l.Jobs >= needed {
			return string(tooFew)
		}
		return counted(l.Jobs, "job") + ": too few"
	case noShorter:
		return "no shorter known"
	case untried:
		return "not tried yet"
	case contradicted:
		return "failed in a month"
	}
	return "withheld"
}
