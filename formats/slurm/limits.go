package slurm

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// The commands that print the limits, and the settings that say whether they hold.
const (
	qosCommand    = "sacctmgr show qos -P"
	assocCommand  = "sacctmgr show assoc -P format=Cluster,Account,User,Partition,ParentName,GrpJobs,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpWall,MaxJobs,MaxTRES,MaxTRESPerNode,MaxTRESMins,MaxWall"
	configCommand = "scontrol show config"
)

// limits are what qualities of service and associations allow, as sacctmgr prints them. A nil one allows everything.
type limits struct {
	qos    map[string]limitRow // by name; nil: not given
	assoc  map[association]limitRow
	parent map[string]string // of an account
}

// association is an account, or a user of one, perhaps in one partition.
type association struct{ account, user, partition string }

// limitRow is a row of a table: the cells that say something, by the name of the column.
type limitRow map[string]string

// readLimits reads the tables. Where the settings say that limits do not hold, it notes so, and there are none.
func readLimits(src Sources, b *budget.Budget, settings map[string]string, report *model.ImportReport) (*limits, error) {
	if src.QOS.Reader == nil && src.Associations.Reader == nil {
		return nil, nil
	}
	if enforce, stated := settings["accountingstorageenforce"]; stated && !hasWord(splitWords(enforce), "limits") && !hasWord(splitWords(enforce), "safe") {
		report.Note(model.ImportKept, "setting AccountingStorageEnforce="+lines.Name(enforce)+": limits of qualities of service and accounts do not hold, so they are left out", "configuration")
		return &limits{}, nil
	}
	l := &limits{}
	if src.QOS.Reader != nil {
		l.qos = map[string]limitRow{}
		if err := readTable(Source{b.Reader(src.QOS.Reader), src.QOS.Name}, qosCommand, []string{"Name"}, func(row limitRow) { l.qos[row["Name"]] = row }); err != nil {
			return nil, err
		}
	}
	if src.Associations.Reader != nil {
		l.assoc, l.parent = map[association]limitRow{}, map[string]string{}
		var above []string // accounts, by the blanks before their names: sacctmgr show assoc tree
		err := readTable(Source{b.Reader(src.Associations.Reader), src.Associations.Name}, assocCommand, []string{"Account", "User"}, func(row limitRow) {
			depth := len(row["Account"]) - len(strings.TrimLeft(row["Account"], " "))
			account := strings.TrimSpace(row["Account"])
			if row["User"] == "" {
				above = append(above[:min(depth, len(above))], account)
				if l.parent[account] = row["ParentName"] + row["Par Name"]; l.parent[account] == "" && len(above) > 1 {
					l.parent[account] = above[len(above)-2]
				}
			}
			l.assoc[association{account, row["User"], row["Partition"]}] = row
		})
		if err != nil {
			return nil, err
		}
	}
	return l, nil
}

// splitWords cuts a list at its commas.
func splitWords(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// readTable reads what sacctmgr -P prints: columns apart by |, of which the first row has the names.
func readTable(src Source, command string, needed []string, take func(row limitRow)) error {
	text, faults := lines.Begin(src.Reader, src.Name)
	scanner := lines.NewScanner(text)
	var names []string
	for scanner.Scan() {
		line := strings.TrimRight(string(scanner.Bytes()), "\r")
		cells := strings.Split(line, "|")
		switch {
		case strings.TrimSpace(line) == "":
		case names == nil:
			names = cells
			for _, name := range needed {
				if !slices.Contains(names, name) {
					faults.Line(scanner.Line(), "expected a column %s, as %s prints it, found none", name, command)
				}
			}
			if !faults.None() {
				return faults.Err()
			}
		case len(cells) != len(names):
			faults.Line(scanner.Line(), "expected %d cells apart by |, found %d", len(names), len(cells))
		case !faults.Names(atLine(scanner.Line()), len(cells)):
			return faults.Err()
		default:
			row := limitRow{}
			for k, cell := range cells {
				if cell != "" {
					row[names[k]] = cell
				}
			}
			take(row)
		}
	}
	scanner.Check(faults)
	if names == nil && faults.None() {
		faults.At("", "expected what %s prints, found an empty file", command)
	}
	return faults.Err()
}

// explains says whether the tables tell the limit for which a job waits.
func (l *limits) explains(reason string) bool {
	if l == nil || slices.ContainsFunc([]string{"Minutes", "Billing", "Wall", "Energy", "PerNode", "Unknown", "BB"}, func(word string) bool { return strings.Contains(reason, word) }) {
		return false
	}
	return l.qos != nil && strings.HasPrefix(reason, "QOS") || l.assoc != nil && strings.HasPrefix(reason, "Assoc")
}

// limitColumns are the columns that limit the jobs of a group at one time, by what is counted, and the name of the group.
var limitColumns = []struct{ tres, jobs, group string }{
	{"GrpTRES", "GrpJobs", ""}, {"MaxTRESPU", "MaxJobsPU", "user"}, {"MaxTRESPA", "MaxJobsPA", "account"},
}

// limited is a job to which limits apply.
type limited struct {
	account, user, partition, qos string
	place                         *place // nil: not known
	processors, nodes             int
	memory                        float64 // MB
	generic                       map[string]float64
	licences                      func() map[string]int               // nil: not known
	need                          func(name string, copies, pool int) // takes a licence by which a limit holds
	outside                       func(reason string)                 // takes what an instance cannot express
	waits                         bool                                // it has not started, so it may ask for more than a limit allows one job
	counts                        bool                                // against limits that others hide, which do not hold for it
	length                        float64                             // s
}

// limit adds to a job the licences by which the limits of its qualities of service, of its association and of the accounts above it hold. By Slurm's order the quality
// of service of the partition comes first, then the job's, then the associations, and an earlier limit hides the same one later, but not among accounts.
func (l *limits) limit(j *limited) {
	if l == nil {
		return
	}
	taken := map[string]bool{}
	account, user := lines.Name(j.account), lines.Name(j.user)
	for _, name := range l.qosOf(j) {
		row := l.qos[name]
		for _, c := range limitColumns {
			who := "QOS " + lines.Name(name)
			switch c.group {
			case "user":
				who += " user " + user
			case "account":
				who += " account " + account
			}
			j.hold(row[c.tres], row[c.jobs], who, c.group, taken, taken)
		}
		j.outsideLimits(row, "the quality of service")
		j.ofOneJob(row["MaxTRES"], row["MaxWall"], "the quality of service")
	}
	if l.assoc == nil {
		return
	}
	byQOS := maps.Clone(taken)
	own, chain := l.chain(j)
	if byQOS["account jobs"] {
		byQOS["user jobs"] = true
	}
	if jobs := inherited(chain, "MaxJobs"); jobs != "" && (j.counts || !byQOS["user jobs"]) {
		j.hold("", jobs, "account "+account+" user "+user, "user", byQOS, byQOS)
	}
	j.ofOneJob(inherited(chain, "MaxTRES"), inherited(chain, "MaxWall"), "the account")
	for k, row := range chain {
		who := "account " + lines.Name(strings.TrimSpace(row["Account"]))
		if k == 0 && own {
			who += " user " + user
		}
		j.hold(row["GrpTRES"], row["GrpJobs"], who, "", byQOS, map[string]bool{})
		j.outsideLimits(row, "the account")
	}
}

// chain is the rows of the user's association and of the accounts above it, nearest first; own says that the first is the user's.
func (l *limits) chain(j *limited) (own bool, rows []limitRow) {
	for _, key := range []association{{j.account, j.user, j.partition}, {j.account, j.user, ""}} {
		if row, found := l.assoc[key]; found && j.user != "" {
			own, rows = true, append(rows, row)
			break
		}
	}
	met := map[string]bool{}
	for account := j.account; account != "" && !met[account]; account = l.parent[account] {
		met[account] = true
		if row, found := l.assoc[association{account, "", ""}]; found {
			rows = append(rows, row)
		}
	}
	return own, rows
}

// inherited is the cell of the first row that has one.
func inherited(rows []limitRow, column string) string {
	for _, row := range rows {
		if row[column] != "" {
			return row[column]
		}
	}
	return ""
}

// qosOf are the qualities of service whose limits hold for a job, the one that counts first first.
func (l *limits) qosOf(j *limited) []string {
	var list []string
	add := func(name string) {
		if l.qos[name] != nil && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if hasWord(splitWords(l.qos[j.qos]["Flags"]), "OverPartQOS") {
		add(j.qos)
	}
	if j.place != nil && len(j.place.parts) == 1 {
		add(j.place.parts[0].qos)
	}
	add(j.qos)
	return list
}

// hold adds the licences of one row: of counts such as cpu=24,gres/gpu=8, and of jobs. A limit that is hidden by an earlier one does not hold.
func (j *limited) hold(tres, jobs, who, group string, hidden, taken map[string]bool) {
	counts := tresOf(tres)
	if jobs != "" {
		counts["jobs"] = jobs
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		pool, err := lines.Whole(wholeLimit(what, counts[what]), 0)
		key := group + " " + what
		if err != nil || hidden[key] && !j.counts {
			continue
		}
		taken[key] = true
		copies, known := j.usage(what)
		if !known {
			j.outside("limit of " + lines.Name(what) + ": an instance cannot express this")
			continue
		}
		if copies > 0 {
			j.need(lines.Name(who+": "+what), copies, pool)
		}
	}
}

// wholeLimit is a limit as a whole number: of memory, which may have a unit, in MB.
func wholeLimit(what, text string) string {
	if what != "mem" {
		return text
	}
	return strconv.Itoa(int(min(memoryOf("mem="+text), maxCopies)))
}

// usage is how much the job counts against a limit, and whether it is known.
func (j *limited) usage(what string) (n int, known bool) {
	whole := func(x float64) (int, bool) { return int(min(math.Ceil(x), maxCopies)), true }
	switch name, _ := strings.CutPrefix(what, "gres/"); {
	case what == "jobs":
		return 1, true
	case what == "cpu":
		return j.processors, true
	case what == "node":
		return max(1, j.nodes), true
	case what == "mem":
		return whole(j.memory)
	case name != what:
		return whole(j.generic[name])
	}
	if name, isLicence := strings.CutPrefix(what, "license/"); isLicence && j.licences != nil {
		return j.licences()[lines.Name(name)], true
	}
	return 0, false
}

// ofOneJob notes that a waiting job asks for more than a limit allows one job. Slurm says so in its reason, once it has looked at the job.
func (j *limited) ofOneJob(tres, wall, of string) {
	if !j.waits {
		return
	}
	above := false
	for what, text := range tresOf(tres) {
		most, err := lines.Whole(wholeLimit(what, text), 0)
		asked, known := j.usage(what)
		above = above || err == nil && known && asked > most
	}
	minutes, limited, err := parseLimit(wall)
	if above || limited && err == nil && j.length > minutes*60 {
		j.outside("the job asks for more than " + of + " allows one job: Slurm does not start it")
	}
}

// outsideLimits notes the limits of a row that an instance cannot express.
func (j *limited) outsideLimits(row limitRow, of string) {
	for _, column := range []string{"GrpTRESMins", "GrpTRESRunMins", "GrpWall", "MaxTRESMins", "MaxTRESPerNode", "MaxTRESMinsPJ", "MaxTRESPN"} {
		if row[column] != "" {
			j.outside("limit " + column + " of " + of + ": an instance cannot express this")
		}
	}
}

// quality notes the waiting jobs whose quality of service says something that the instance leaves out: that they may preempt others, or limits that no file tells.
func (q *queue) quality() {
	l := q.limits
	untold := l == nil || l.qos == nil && l.assoc != nil
	kind, told := q.sys.settings["preempttype"]
	byQOS := !told || strings.EqualFold(kind, "preempt/qos")
	var byTier map[*part]bool
	if strings.EqualFold(kind, "preempt/partition_prio") {
		byTier = q.sys.higher()
	}
	usual := ""
	for _, name := range slices.Sorted(maps.Keys(q.qos)) {
		if usual == "" || q.qos[name] > q.qos[usual] {
			usual = name
		}
	}
	for _, e := range q.list {
		j := &q.doc.jobs[e.job]
		switch {
		case e.running:
		case untold && len(q.qos) > 1 && j.qos != usual:
			q.outside("quality of service other than " + lines.Quote(usual) + ", which most waiting jobs have: no file tells its limits and its preemption (--qos)")
		case l != nil && byQOS && l.qos[j.qos]["Preempt"] != "":
			q.outside("quality of service that may preempt others: the policies preempt no job")
		}
		if !e.running && slices.ContainsFunc(e.place.parts, func(p *part) bool { return byTier[p] }) {
			q.outside("partition of a higher tier than another with nodes of it, whose jobs it may preempt: the policies preempt no job")
		}
		if len(e.place.parts) == 1 && e.place.parts[0].qos != "" && untold && !e.running {
			q.outside("partition with a quality of service, whose limits are in no file (--qos)")
		}
		q.count(e, q.odd)
		q.odd = q.odd[:0]
	}
}

// higher are the partitions that have nodes of another one of a lower tier. O(nodes of all partitions).
func (s *system) higher() map[*part]bool {
	lowest := map[int]float64{} // by node
	for _, p := range s.parts {
		for _, h := range p.hosts {
			if tier, met := lowest[h]; !met || p.tier < tier {
				lowest[h] = p.tier
			}
		}
	}
	list := map[*part]bool{}
	for _, p := range s.parts {
		list[p] = slices.ContainsFunc(p.hosts, func(h int) bool { return lowest[h] < p.tier })
	}
	return list
}

// preemption reports whether a PreemptType lets jobs preempt others.
func preemption(kind string) bool { return kind != "" && !strings.EqualFold(kind, "preempt/none") }

// settings notes what the configuration says that an instance cannot express.
func (q *queue) settings() {
	settings := q.sys.settings
	if kind := settings["selecttypeparameters"]; kind != "" && !strings.Contains(strings.ToLower(kind), "memory") && q.memory {
		q.report.Note(model.ImportKept, "setting SelectTypeParameters="+lines.Name(kind)+": memory is not allocated, so it is not taken into account", "configuration")
		q.memory = false
	}
	if kind := settings["preempttype"]; preemption(kind) {
		q.report.Note(model.ImportKept, "setting PreemptType="+lines.Name(kind)+": the policies preempt no job", "configuration")
	}
}
