package multifactor_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/multifactor"
	"github.com/allot-opt/allot/formats/slurm"
)

// vectors is what a real Slurm computed; see its SOURCE.md.
const vectors = "../../data/slurm-vectors"

// TestVectors replays the history of a real Slurm and compares every priority and every row of sshare with what it printed. Each folder with a slurm.conf and a sprio.csv is a
// configuration.
func TestVectors(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(vectors, "*", "sprio.csv"))
	if err != nil || len(found) < 4 {
		t.Fatalf("expected four configurations, found %d: %v", len(found), err)
	}
	for _, file := range found {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) { newReplay(t, folder).compare(t) })
	}
}

// row is a row of a table by the names of the columns.
type row map[string]string

// table reads a table whose first row has the names.
func table(t *testing.T, comma rune, parts ...string) (list []row) {
	file, err := os.Open(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma = comma
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range records[1:] {
		of := row{}
		for k, name := range records[0] {
			of[name] = cells[k]
		}
		list = append(list, of)
	}
	return list
}

// number reads a cell; an empty one is +Inf.
func number(t *testing.T, text string) float64 {
	if text == "" {
		return math.Inf(1)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// tres reads counts such as cpu=6,mem=1.50G, memory in MB.
func tres(t *testing.T, text string) map[string]float64 {
	counts := map[string]float64{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(part, "=")
		if !found {
			continue
		}
		unit := 1.0
		if inner, isGB := strings.CutSuffix(value, "G"); isGB {
			value, unit = inner, 1024
		}
		counts[name] = number(t, strings.TrimSuffix(value, "M")) * unit
	}
	return counts
}

// replay is a configuration and the state of the plugin at its time.
type replay struct {
	folder     string
	settings   *slurm.Settings
	tree       *multifactor.Tree
	ledger     *multifactor.Ledger
	calculator *multifactor.Calculator
	site       multifactor.Site
	pass       float64         // the last one before the time
	held       map[string]bool // jobs
}

// newReplay reads a configuration and replays the history.
func newReplay(t *testing.T, folder string) *replay {
	r := &replay{folder: folder, held: map[string]bool{}}
	open := func(name string) slurm.Source {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		return slurm.Source{Reader: file, Name: name}
	}
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	r.settings, err = slurm.ReadSettings(open("slurm.conf"), nil)
	check(err)
	shares := open("sshare.txt")
	associations, err := slurm.ReadAssociations(open("assoc.txt"), shares)
	check(err)
	for k := range associations {
		associations[k].Usage = 0 // the history tells
	}
	for _, p := range table(t, ',', vectors, "parents.csv") {
		k := slices.IndexFunc(associations, func(a multifactor.Association) bool { return a.Account == p["account"] && a.User == "" })
		if k < 0 || associations[k].Parent != p["parent"] {
			t.Fatalf("account %s: expected parent %s, found %+v", p["account"], p["parent"], associations[k])
		}
	}
	r.site.Qualities, err = slurm.ReadQualities(open("qos.txt"))
	check(err)
	text, err := os.ReadFile(filepath.Join(folder, "partitions.txt"))
	check(err)
	for _, p := range r.settings.Partitions {
		_, of, _ := strings.Cut(string(text), "PartitionName="+p.Name+"\n")
		_, of, _ = strings.Cut(of, "   TRES=")
		of, _, _ = strings.Cut(of, "\n")
		part := multifactor.Partition{Name: p.Name, JobFactor: p.JobFactor, Billing: p.Billing, MaxTime: p.MaxTime, Total: tres(t, of)}
		r.site.Partitions = append(r.site.Partitions, part)
		r.site.Nodes, r.site.CPUs = max(r.site.Nodes, part.Total["node"]), max(r.site.CPUs, part.Total["cpu"]) // batch has all
	}
	r.tree, err = multifactor.NewTree(r.settings.Priority, associations)
	check(err)
	r.ledger, err = multifactor.NewLedger(r.tree, nil)
	check(err)
	r.calculator, err = multifactor.NewCalculator(r.tree, r.site)
	check(err)
	for _, j := range table(t, ',', folder, "jobs.csv") {
		r.held[j["job"]] = strings.HasPrefix(j["reason"], "JobHeld")
	}
	r.run(t)
	return r
}

// The kinds of events, in the order in which they count at one time.
const (
	restart = iota
	start
	end
	pass
)

// event is something that the plugin hears of.
type event struct {
	at   float64
	kind int
	job  row
}

// run replays the history up to the last pass before the time of the configuration.
func (r *replay) run(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(r.folder, "time"))
	if err != nil {
		t.Fatal(err)
	}
	shown := number(t, strings.TrimSpace(string(text)))
	history := table(t, ',', vectors, "history.csv")
	slices.SortFunc(history, func(a, b row) int { return cmp.Compare(number(t, a["id"]), number(t, b["id"])) })
	var events []event
	for _, p := range table(t, ',', vectors, "passes.csv") {
		if at := number(t, p["time"]); at <= shown {
			events, r.pass = append(events, event{at: at, kind: pass}), max(r.pass, at)
		}
	}
	for _, s := range table(t, ',', vectors, "restarts.csv") {
		events = append(events, event{at: number(t, s["time"]), kind: restart})
	}
	for _, j := range history {
		events = append(events, event{number(t, j["start"]), start, j}, event{number(t, j["end"]), end, j})
	}
	events = slices.DeleteFunc(events, func(e event) bool { return e.at > r.pass })
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	for _, e := range events {
		switch e.kind {
		case restart:
			r.tree.Forget()
		case start:
			r.ledger.Begin(r.runOf(t, e.job, e.at))
		case end:
			r.ledger.End(int64(number(t, e.job["id"])), e.at)
		case pass:
			var waiting []multifactor.Waiting
			for _, j := range history {
				if number(t, j["submit"]) <= e.at && number(t, j["start"]) > e.at && !r.held[j["id"]] {
					waiting = append(waiting, multifactor.Waiting{Number: int64(number(t, j["id"])), Association: r.tree.Find(j["account"], j["user"], "")})
				}
			}
			r.ledger.Pass(e.at, waiting)
		}
	}
}

// runOf is a job of the history that starts. What is billed depends on the flags at its start.
func (r *replay) runOf(t *testing.T, j row, at float64) multifactor.Run {
	billing := multifactor.DefaultSettings()
	billing.MaxTRES = slices.Contains(strings.Split(j["flags"], ";"), "MAX_TRES")
	tree, err := multifactor.NewTree(billing, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := multifactor.NewCalculator(tree, r.site)
	if err != nil {
		t.Fatal(err)
	}
	bill, err := c.Billing(j["partition"], tres(t, j["tres"]))
	if err != nil {
		t.Fatal(err)
	}
	return multifactor.Run{Number: int64(number(t, j["id"])), Association: r.tree.Find(j["account"], j["user"], ""), Start: at, Billing: bill, UsageFactor: c.UsageFactor(j["qos"])}
}

// compare compares priorities and shares.
func (r *replay) compare(t *testing.T) {
	jobs := map[string]row{}
	for _, j := range table(t, ',', r.folder, "jobs.csv") {
		jobs[j["job"]] = j
	}
	compared := 0
	for _, s := range table(t, ',', r.folder, "sprio.csv") {
		j := jobs[s["job"]]
		if j["state"] == "PENDING" && number(t, s["age_n"])+number(t, s["part_n"]) > 0 { // else it was set by hand
			r.compareJob(t, j, s)
			compared++
		}
	}
	if compared < 30 {
		t.Errorf("compared %d priorities", compared)
	}
	for _, s := range table(t, '|', r.folder, "sshare.txt") {
		r.compareShare(t, s)
	}
}

// compareJob compares a priority and all its terms.
func (r *replay) compareJob(t *testing.T, j, s row) {
	job := multifactor.Job{
		Account: j["account"], User: j["user"], Partitions: []string{s["partition"]}, QOS: j["qos"], Nodes: tres(t, j["tres"])["node"], CPUs: number(t, j["cpus"]),
		Limit: number(t, j["limit_min"]), TRES: tres(t, j["tres"]), Nice: number(t, j["nice"]), Site: number(t, s["site"]),
	}
	if j["exclusive"] == "1" { // of whole nodes, after a test
		job.CPUs = job.Nodes * r.site.CPUs / r.site.Nodes
	}
	e, err := r.calculator.Entry(&job)
	if err != nil {
		t.Fatal(err)
	}
	f := r.calculator.Terms(&e, 0, r.pass, number(t, j["accrue"]))
	several := strings.Contains(j["partition"], ",")
	w := r.settings.Priority
	got := row{"priority": fmt.Sprintf("%.0f", f.Priority(several))}
	for name, of := range map[string]struct{ term, weight float64 }{
		"age": {f.Age, w.WeightAge}, "assoc": {f.Assoc, w.WeightAssoc}, "fairshare": {f.Fairshare, w.WeightFairshare}, "jobsize": {f.JobSize, w.WeightJobSize},
		"part": {f.Partition, w.WeightPartition}, "qos": {f.QOS, w.WeightQOS},
	} {
		got[name], got[name+"_n"] = fmt.Sprintf("%.0f", of.term), fmt.Sprintf("%.7f", of.term/of.weight)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != s[name] {
			t.Errorf("job %s in %s: %s: expected %s, found %s", s["job"], s["partition"], name, s[name], got[name])
		}
	}
}

// compareShare compares a row of sshare.
func (r *replay) compareShare(t *testing.T, s row) {
	account := strings.TrimSpace(s["Account"])
	k := r.tree.Find(account, strings.TrimSpace(s["User"]), "")
	if k < 0 {
		t.Fatalf("no association %s %s", account, s["User"])
	}
	of := r.tree.Share(k)
	got := row{"NormShares": fmt.Sprintf("%.6f", of.Normalised), "RawUsage": fmt.Sprintf("%.0f", math.Floor(of.Usage)), "EffectvUsage": fmt.Sprintf("%.6f", of.Effective)}
	if k > 0 {
		got["NormUsage"] = fmt.Sprintf("%.6f", of.Part)
	}
	switch fairTree := !r.settings.Priority.Classic; {
	case k == 0 && fairTree:
		got["EffectvUsage"] = "1.000000"
	case fairTree && s["LevelFS"] != "":
		got["LevelFS"] = strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%.6f", of.Level), "+"))
	}
	if s["FairShare"] != "" {
		got["FairShare"] = fmt.Sprintf("%.6f", of.Factor)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if got[name] != s[name] {
			t.Errorf("%s %s: %s: expected %s, found %s", account, s["User"], name, s[name], got[name])
		}
	}
}
