package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/model"
)

// Ranking compares the solvers on the instances of one group.
type Ranking struct {
	Group     string
	Kind      string // what the solvers know, where the group has both kinds: "on line", or "plans ahead"
	Minimised string // the objectives, as sums of metrics
	Instances int
	Stated    int        // instances whose best known objective a file states
	Beaten    int        // of these, the instances on which a run was better
	Files     []string   // the files that state them
	Standings []Standing // sorted by the share of runs without a ratio, then by the ratio
}

// Standing sums up one solver's runs on the instances of a group.
type Standing struct {
	Solver    string
	Runs      int
	Objective *float64 // mean over the runs that have one; nil: no run has one, or the instances have different objectives
	Ratio     *float64 // mean of objective/best over the runs that owe as few jobs as the best; nil: no run does, or a best is 0 or less
	Compared  int      // number of runs in Ratio
	Wins      int      // instances on which no solver has a better mean over the seeds
	Elapsed   float64  // mean seconds per run
	Left      float64  // mean number of jobs left out
	Unsolved  int      // runs without a schedule and without a fault
	Faults    int
}

// rankOfRow returns the rank of a row, or false if the row has no objective.
func rankOfRow(row *bench.Row) (model.Rank, bool) {
	if row.Objective == nil {
		return model.Rank{}, false
	}
	return model.NewRank(row.Owed(), *row.Objective), true
}

// BestRows returns the row with the best schedule of each instance. The key is the instance's SHA-256 and its objective.
func BestRows(rows []bench.Row) map[[2]string]*bench.Row {
	best := map[[2]string]*bench.Row{}
	for k := range rows {
		rank, ok := rankOfRow(&rows[k])
		if !ok {
			continue
		}
		key := [2]string{rows[k].InstanceSHA256, rows[k].Minimised}
		if before := best[key]; before != nil {
			if held, _ := rankOfRow(before); !rank.Better(held) {
				continue
			}
		}
		best[key] = &rows[k]
	}
	return best
}

// Rank compares the solvers, group by group in the order of the rows. On-line policies and solvers that know the future are never in one ranking: a group
// of both has two, with the same best schedules for reference. The rows in known are not ranked, but count when the best schedule of an
// instance is looked for; they may be the best-known solutions.
func Rank(rows, known []bench.Row) []Ranking {
	best := BestRows(slices.Concat(rows, known))
	all := make([]*bench.Row, len(rows))
	for k := range rows {
		all[k] = &rows[k]
	}
	var list []Ranking
	for _, group := range by(all, func(row *bench.Row) string { return row.Group }) {
		online := map[string]bool{} // solvers that had to decide on line on one of the instances
		for _, row := range group {
			online[row.Solver] = online[row.Solver] || row.IsOnline()
		}
		var kinds [2][]*bench.Row
		for _, row := range group {
			if online[row.Solver] {
				kinds[0] = append(kinds[0], row)
			} else {
				kinds[1] = append(kinds[1], row)
			}
		}
		if kinds[0] == nil || kinds[1] == nil {
			list = append(list, rankGroup("", group, best, known))
			continue
		}
		list = append(list, rankGroup("on line", kinds[0], best, known), rankGroup("plans ahead", kinds[1], best, known))
	}
	return list
}

// by divides rows by a key, in the order in which the keys come first.
func by(rows []*bench.Row, key func(*bench.Row) string) [][]*bench.Row {
	var parts [][]*bench.Row
	places := map[string]int{}
	for _, row := range rows {
		place, known := places[key(row)]
		if !known {
			place = len(parts)
			places[key(row)], parts = place, append(parts, nil)
		}
		parts[place] = append(parts[place], row)
	}
	return parts
}

// solver and instance are keys of rows.
func solver(row *bench.Row) string   { return row.Solver }
func instance(row *bench.Row) string { return row.InstanceSHA256 }

// rankGroup compares the solvers on one group.
func rankGroup(kind string, rows []*bench.Row, best map[[2]string]*bench.Row, known []bench.Row) Ranking {
	instances := by(rows, instance)
	r := Ranking{Group: rows[0].Group, Kind: kind, Instances: len(instances)}
	var minimised []string
	for _, row := range rows {
		if !slices.Contains(minimised, row.Minimised) {
			minimised = append(minimised, row.Minimised)
		}
	}
	r.Minimised = strings.Join(minimised, ", ")
	r.count(rows, known)
	wins := map[string]int{}
	for _, own := range instances {
		for _, winner := range winners(own) {
			wins[winner]++
		}
	}
	for _, runs := range by(rows, solver) {
		s := standing(runs, best)
		s.Wins = wins[s.Solver]
		if len(minimised) > 1 {
			s.Objective = nil
		}
		r.Standings = append(r.Standings, s)
	}
	slices.SortStableFunc(r.Standings, func(a, b Standing) int {
		missing := cmp.Compare((a.Runs-a.Compared)*b.Runs, (b.Runs-b.Compared)*a.Runs)
		return cmp.Or(missing, compareOptional(a.Ratio, b.Ratio), compareOptional(a.Objective, b.Objective), strings.Compare(a.Solver, b.Solver))
	})
	return r
}

// count counts the instances of the rows whose best known objective a file states, and those on which a row is better.
func (r *Ranking) count(rows []*bench.Row, known []bench.Row) {
	reached := map[[2]string]model.Rank{} // the best of the rows; a value is removed once its instance is counted
	for _, row := range rows {
		key := [2]string{row.InstanceSHA256, row.Minimised}
		if _, met := reached[key]; !met {
			reached[key] = model.NoRank()
		}
		if rank, ok := rankOfRow(row); ok && rank.Better(reached[key]) {
			reached[key] = rank
		}
	}
	for k := range known {
		key := [2]string{known[k].InstanceSHA256, known[k].Minimised}
		best, ok := reached[key]
		stated := known[k].Stated
		if stated == nil || !ok {
			continue
		}
		delete(reached, key)
		r.Stated++
		if best.Better(model.NewRank(0, stated.Value-stated.Rounding)) {
			r.Beaten++
		}
		if !slices.Contains(r.Files, stated.File) {
			r.Files = append(r.Files, stated.File)
		}
	}
}

// statedNote says what the ratios refer to, where files state best known objectives.
func (r *Ranking) statedNote() string {
	if r.Stated == 0 {
		return ""
	}
	note := fmt.Sprintf("mean ratio: to the best known objective that %s states for %d of %d, or to the best run where that is better", strings.Join(r.Files, ", "), r.Stated, r.Instances)
	if r.Beaten > 0 {
		note += fmt.Sprintf(" (on %d)", r.Beaten)
	}
	return note + "\n"
}

// compareOptional compares two numbers and puts an absent one last.
func compareOptional(a, b *float64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(*a, *b)
}

// winners lists the solvers that no other beats on an instance, by the means over the seeds. A solver with a run without a schedule cannot win.
func winners(rows []*bench.Row) []string {
	results := map[string]Result{}
	for _, runs := range by(rows, solver) {
		results[runs[0].Solver] = ResultOf(runs)
	}
	var list []string
	for name, own := range results { // in any order: each wins alone
		if !math.IsNaN(own.Objective) && !slices.ContainsFunc(rows, func(row *bench.Row) bool { return results[row.Solver].Better(own) }) {
			list = append(list, name)
		}
	}
	return list
}

// standing sums up the rows of one solver.
func standing(rows []*bench.Row, best map[[2]string]*bench.Row) Standing {
	s := Standing{Solver: rows[0].Solver, Runs: len(rows)}
	objective, ratio := 0.0, 0.0
	solved := 0
	for _, row := range rows {
		s.Elapsed += row.Elapsed / float64(len(rows))
		switch {
		case row.Fault != "":
			s.Faults++
			continue
		case row.Objective == nil:
			s.Unsolved++
			continue
		}
		solved++
		objective += *row.Objective
		s.Left += float64(row.Left)
		if b := best[[2]string{row.InstanceSHA256, row.Minimised}]; b.Owed() == row.Owed() {
			s.Compared++
			ratio += ratioOf(*row.Objective, *b.Objective)
		}
	}
	if solved > 0 {
		s.Objective = numtext.Finite(objective / float64(solved))
		s.Left /= float64(solved)
	}
	if s.Compared > 0 {
		s.Ratio = numtext.Finite(ratio / float64(s.Compared))
	}
	return s
}

// ratioOf returns objective/best: 1 if they are equal, and +Inf if best is 0 or less and the ratio thus says nothing.
func ratioOf(objective, best float64) float64 {
	switch {
	case math.Abs(objective-best) <= model.Tolerance*math.Abs(best):
		return 1
	case best > 0:
		return objective / best
	}
	return math.Inf(1)
}

// Rankings is one table per group for people.
func Rankings(rankings []Ranking) string {
	var b strings.Builder
	for k, r := range rankings {
		if k > 0 {
			b.WriteByte('\n')
		}
		title := numtext.Counted(r.Instances, "instance") + "; minimise " + r.Minimised
		if r.Kind != "" {
			title = r.Kind + ", " + title
		}
		if r.Group != "" {
			title = r.Group + ": " + title
		}
		fmt.Fprintf(&b, "%s\n%s\n%s", title, rankingTable(r), r.statedNote())
	}
	return b.String()
}

// rankingTable makes the table of one group. It leaves out columns that would hold only zeros.
func rankingTable(r Ranking) string {
	some := func(of func(Standing) float64) bool {
		return slices.ContainsFunc(r.Standings, func(s Standing) bool { return of(s) != 0 })
	}
	left := some(func(s Standing) float64 { return s.Left })
	unsolved := some(func(s Standing) float64 { return float64(s.Unsolved) })
	header := table.Row{"solver", "runs", "mean objective", "mean ratio", "wins", "mean time s", "faults"}
	if left {
		header = append(header, "left out")
	}
	if unsolved {
		header = append(header, "no schedule")
	}
	t := texttable.New(1, header...)
	for _, s := range r.Standings {
		ratio := "–"
		if s.Ratio != nil {
			ratio = strconv.FormatFloat(*s.Ratio, 'f', 4, 64)
		}
		cells := table.Row{s.Solver, s.Runs, optionalFigure(s.Objective), ratio, s.Wins, seconds(s.Elapsed), s.Faults}
		if left {
			cells = append(cells, numtext.Figure(s.Left))
		}
		if unsolved {
			cells = append(cells, s.Unsolved)
		}
		t.AppendRow(cells)
	}
	return t.Render()
}

// seconds formats a time with three significant digits, rounded to a tenth of a microsecond.
func seconds(x float64) string {
	digits := 1
	if x > 0 {
		digits = min(max(0, 2-int(math.Floor(math.Log10(x)))), 7)
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// Contradictions lists the stated best known objectives that a proved bound of the rows excludes. Such a value, or the bound, is wrong.
func Contradictions(rows, stated []bench.Row) []string {
	values := map[[2]string]*bench.Row{}
	for k := range stated {
		values[[2]string{stated[k].InstanceSHA256, stated[k].Minimised}] = &stated[k]
	}
	var list []string
	for k := range rows {
		row := &rows[k]
		bound, proved := row.Bound.Value()
		at := [2]string{row.InstanceSHA256, row.Minimised}
		s := values[at]
		if s == nil || !proved || row.Left > 0 || row.AtLeast > 0 || bound <= s.Stated.Value+s.Stated.Rounding+model.Tolerance*math.Abs(bound) {
			continue
		}
		list = append(list, fmt.Sprintf("%s states %s %s for %s, but %s proved that none is below %s", s.Stated.File, s.Minimised, numtext.Figure(*s.Objective), s.Instance, row.Solver, numtext.Figure(bound)))
		delete(values, at)
	}
	return list
}
