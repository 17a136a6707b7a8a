package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

// mostNamed is how many solvers a remark names.
const mostNamed = 12

// Remarks are what a reader must know before he believes a comparison of the rows, a sentence each: which solvers the time limit stopped, and which failed. A solver that
// was stopped might rank otherwise on a faster machine.
func Remarks(rows []bench.Row) []string {
	all := make([]*bench.Row, len(rows))
	for k := range rows {
		all[k] = &rows[k]
	}
	var stopped, failed, crashed []troubled
	limits := map[float64]bool{}
	for _, runs := range by(all, solver) {
		runs = slices.DeleteFunc(runs, func(row *bench.Row) bool { return row.Kind == bench.Unsupported })
		if len(runs) == 0 {
			continue
		}
		name := troubled{solver: runs[0].Solver, of: len(runs)}
		stop, fail, crash := name, name, name
		for _, row := range runs {
			if row.Failed() {
				fail.count(row.Fault)
				continue
			}
			if row.Stop == model.StopTime {
				stop.count("")
				limits[row.TimeLimit] = true
				if row.Objective == nil && row.Status != model.Infeasible {
					stop.empty++
				}
			}
			if row.Crashed() {
				crash.count("")
			}
		}
		stopped, failed, crashed = stop.added(stopped), fail.added(failed), crash.added(crashed)
	}
	var remarks []string
	if stopped != nil {
		limit := ""
		if len(limits) == 1 {
			for seconds := range limits {
				if seconds > 0 {
					limit = " of " + time.Duration(seconds*float64(time.Second)).String()
				}
			}
		}
		remarks = append(remarks, "Stopped by the time limit"+limit+": "+named(stopped)+". On another machine their results may differ.")
	}
	if failed != nil {
		remarks = append(remarks, "Failed: "+named(failed)+".")
	}
	if crashed != nil {
		remarks = append(remarks, "Crashed after the last schedule, which counts: "+named(crashed)+".")
	}
	return remarks
}

// troubled is how many of a solver's runs something happened to.
type troubled struct {
	solver string
	runs   int
	empty  int // of the runs, those without a schedule
	of     int
	first  string // what the first says
}

// count counts a run.
func (t *troubled) count(text string) {
	t.runs++
	t.first = cmp.Or(t.first, text)
}

// added appends it to the list if it counted a run.
func (t troubled) added(list []troubled) []troubled {
	if t.runs == 0 {
		return list
	}
	return append(list, t)
}

// named lists solvers with how many of their runs.
func named(list []troubled) string {
	var texts []string
	for k, t := range list {
		if k == mostNamed {
			texts = append(texts, numtext.Counted(len(list)-k, "more solver"))
			break
		}
		text := fmt.Sprintf("%s on %d of %s", t.solver, t.runs, numtext.Counted(t.of, "run"))
		switch {
		case t.empty == t.runs && t.empty > 0:
			text += ", without a schedule"
		case t.empty > 0:
			text += fmt.Sprintf(", on %d without a schedule", t.empty)
		case t.first != "":
			text += " (" + clipped(t.first) + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// clipped is the first line of a text, at most 60 letters of it.
func clipped(text string) string {
	const most = 60
	line, _, _ := strings.Cut(text, "\n")
	letters := []rune(line)
	if len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return line
}

// Busy says that more processes ran or waited to than the machine has cores, which makes times longer and results under a time limit worse; empty: no more did. The load is the mean of
// a minute, 0 if it is not known.
func Busy(load float64, cores int) string {
	if cores < 1 || !(load > float64(cores)) {
		return ""
	}
	return fmt.Sprintf("Machine load %.1f on %s: times are too long, and results under a time limit may be too bad.", load, numtext.Counted(cores, "core"))
}
