package advise

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
)

// Waiting is a job that waited long.
type Waiting struct {
	Job        string   `json:"job"`
	User       string   `json:"user,omitempty"`
	Processors int      `json:"processors"`
	Arrival    float64  `json:"arrival"`
	Wait       float64  `json:"wait_s"`
	Recorded   *float64 `json:"recorded_wait_s,omitempty"`
	Rule       string   `json:"rule,omitempty" doc:"of the policy, that decided last; empty: it states none"`
	Why        string   `json:"why" doc:"the rule or cause that held for longest"`
	Front      []Front  `json:"in_front" doc:"the jobs that held most of what it could use while it waited"`
}

// Front is a job that held what another could have used while that one waited.
type Front struct {
	Job        string  `json:"job"`
	User       string  `json:"user,omitempty"`
	Role       string  `json:"role"`
	Processors int     `json:"processors"`
	Held       float64 `json:"held_processor_s"`
}

// Fair is how processor time was shared in a period of 30 days.
type Fair struct {
	Day   int     `json:"day" doc:"the first"`
	Users int     `json:"users"`
	Jain  float64 `json:"jain" doc:"of received over entitled"`
	Least string  `json:"least_user" doc:"who received the least part of what the user was entitled to"`
	Part  float64 `json:"least_share"`
}

// WaitsPart is about waits and fairness under the site's policy.
type WaitsPart struct {
	Mean     float64     `json:"mean_wait_s"`
	P95      float64     `json:"p95_wait_s"`
	Longest  []Waiting   `json:"longest"`
	Starved  int         `json:"starved" doc:"jobs that waited for more than a week"`
	Share    float64     `json:"starved_share" doc:"of all waits"`
	Fairness []Fair      `json:"fairness"`
	Classes  *lab.Report `json:"classes" doc:"waits by size, queue, account and user"`
}

// longest is how many jobs that waited longest are explained, of a user each, and how many jobs in front of each are named.
const longest = 3

// starved is a wait of a job that starves, s.
const starved = 7 * 86400

// waits makes the part about waits.
func (m *maker) waits() error {
	opt := m.Options
	opt.Shares = true
	report, err := lab.Compare(m.ctx, m.Instance, []lab.Run{{Policy: m.Policy, Online: true, Solution: m.base}}, opt)
	if err != nil {
		return err
	}
	p := &WaitsPart{Longest: []Waiting{}, Fairness: []Fair{}, Classes: report}
	m.report.Waits, m.report.Dates = p, report.Dates
	all := report.Groups[0].Policies[0].Classes[0]
	if all.Wait == nil {
		return nil
	}
	p.Mean, p.P95 = all.Wait.Mean*m.second, all.Wait.P95*m.second
	in := m.Instance
	type late struct {
		job  int
		wait float64
	}
	var list []late
	total, long := 0.0, 0.0
	for k := range m.base.Jobs {
		job, _ := in.JobIndex(m.base.Jobs[k].Job)
		wait := (m.base.Jobs[k].Start - in.Jobs()[job].Arrival) * m.second
		total += wait
		if wait > starved {
			p.Starved++
			long += wait
		}
		list = append(list, late{job, wait})
	}
	if total > 0 {
		p.Share = long / total
	}
	slices.SortFunc(list, func(a, b late) int { return cmp.Or(cmp.Compare(b.wait, a.wait), a.job-b.job) })
	told := map[string]bool{} // the longest of one user often waited together
	for _, l := range list {
		user := in.Jobs()[l.job].User()
		if l.wait <= 0 || len(p.Longest) == longest {
			break
		}
		if user != "" && told[user] {
			continue
		}
		told[user] = true
		w, err := m.waiting(l.job, l.wait)
		if err != nil {
			return err
		}
		p.Longest = append(p.Longest, *w)
	}
	p.Fairness = fairness(report.Groups[0].Policies[0].Shares)
	if len(p.Longest) > 0 {
		w := &p.Longest[0]
		m.matter(0.2+p.Share, "The longest wait is %s (job %s, %s): %s.%s", seconds(w.Wait), legible(w.Job), counted(w.Processors, "processor"), w.Why, p.starvation())
	}
	return nil
}

// waiting explains the wait of a job.
func (m *maker) waiting(job int, wait float64) (*Waiting, error) {
	in := m.Instance
	j := &in.Jobs()[job]
	w := &Waiting{Job: j.ID, User: j.User(), Processors: m.jobs[job].Processors, Arrival: j.Arrival, Wait: wait, Front: []Front{}, Why: "the policy gives no reason"}
	if start, known := in.Recorded(job); known {
		w.Recorded = new((start - j.Arrival) * m.second)
	}
	answer, err := m.Explain(m.ctx, in, j.ID)
	if err != nil || answer == nil {
		return w, err
	}
	if n := len(answer.Reasons); n > 0 {
		w.Rule = answer.Reasons[n-1].Rule + ": " + answer.Reasons[n-1].Text
	}
	length := map[string]float64{}
	var texts []string
	for _, cause := range answer.Causes {
		if length[cause.Text] == 0 {
			texts = append(texts, cause.Text)
		}
		length[cause.Text] += cause.To - cause.From
	}
	best := 0.0
	for _, text := range texts {
		if length[text] > best {
			best, w.Why = length[text], text
		}
	}
	holders := answer.Holders()
	for _, b := range holders[:min(longest, len(holders))] {
		index, _ := in.JobIndex(b.Job)
		w.Front = append(w.Front, Front{Job: b.Job, User: in.Jobs()[index].User(), Role: b.Role, Processors: b.Processors, Held: b.Share * m.second})
	}
	return w, nil
}

// fairness sums up the shares of users by 30 days.
func fairness(shares []lab.Share) []Fair {
	list := []Fair{}
	const days = 30
	for from := 0; from < len(shares); {
		period := shares[from].Day / days
		to := from
		entitled, received := map[string]float64{}, map[string]float64{}
		var users []string
		for ; to < len(shares) && shares[to].Day/days == period; to++ {
			s := &shares[to]
			if _, known := entitled[s.User]; !known {
				users = append(users, s.User)
			}
			entitled[s.User] += s.Entitled
			received[s.User] += s.Received
		}
		from = to
		slices.Sort(users)
		f := Fair{Day: period*days + 1}
		var ratios []float64
		for _, user := range users {
			if entitled[user] > 0 {
				ratio := received[user] / entitled[user]
				if ratios = append(ratios, ratio); len(ratios) == 1 || ratio < f.Part {
					f.Least, f.Part = user, ratio
				}
			}
		}
		if f.Users = len(ratios); f.Users > 0 {
			if jain, err := statistics.Jain(ratios); err == nil {
				f.Jain = jain
				list = append(list, f)
			}
		}
	}
	return list
}

// starvation says how many jobs waited for more than a week; empty: none.
func (p *WaitsPart) starvation() string {
	if p.Starved == 0 {
		return ""
	}
	return " " + counted(p.Starved, "job waits", "jobs wait") + " for more than a week: " + percent(p.Share) + " of all waiting."
}

// usedBy is the processor time that jobs hold by a name of theirs, in the instance's unit.
func usedBy(in *model.Instance, sol *model.Solution, name func(*model.Job) string) map[string]float64 {
	used := map[string]float64{}
	for k := range sol.Jobs {
		job, _ := in.JobIndex(sol.Jobs[k].Job)
		j := &in.Jobs()[job]
		sol.Jobs[k].Parts(j.Tasks, func(part model.Piece) { used[name(j)] += float64(part.Processors.Len()) * (part.End - part.Start) })
	}
	return used
}
