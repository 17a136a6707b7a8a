package advise

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Unused is what the jobs of a user and name asked for and did not use.
type Unused struct {
	User   string  `json:"user,omitempty"`
	Name   string  `json:"name,omitempty"`
	Jobs   int     `json:"jobs"`
	Asked  float64 `json:"asked" doc:"memory: mean, MB; devices: device seconds"`
	Used   float64 `json:"used" doc:"memory: mean of the highest, MB; devices: device seconds in use"`
	Most   float64 `json:"most" doc:"memory: of all jobs, MB; devices: 0"`
	Wasted float64 `json:"unused" doc:"MB·s, or device seconds"`
}

// NeedsPart is about memory and devices.
type NeedsPart struct {
	MemoryJobs  int      `json:"memory_jobs" doc:"of which both figures are known"`
	MemoryUsed  float64  `json:"memory_used_share"`
	Memory      []Unused `json:"memory,omitempty"`
	DevicesJobs int      `json:"devices_jobs"`
	DevicesUsed float64  `json:"devices_used_share"`
	Devices     []Unused `json:"devices,omitempty"`
}

// needs makes the part about memory and devices.
func (m *maker) needs() error {
	p := &NeedsPart{}
	m.report.Needs = p
	type key struct{ user, name string }
	memory, devices := map[key]*Unused{}, map[key]*Unused{}
	of := func(list map[key]*Unused, j *model.Job, name string) *Unused {
		k := key{j.User(), name}
		if list[k] == nil {
			list[k] = &Unused{User: k.user, Name: name}
		}
		list[k].Jobs++
		return list[k]
	}
	var asked, used, held, busy float64
	for k := range m.jobs {
		j := &m.Instance.Jobs()[k]
		n, known := m.Needs[j.ID]
		if !known {
			continue
		}
		if n.Memory > 0 && n.Used >= 0 {
			u := of(memory, j, n.Name)
			p.MemoryJobs++
			asked, used = asked+n.Memory*m.jobs[k].Used, used+n.Used*m.jobs[k].Used
			u.Asked, u.Used, u.Most = u.Asked+n.Memory, u.Used+n.Used, max(u.Most, n.Used)
			u.Wasted += max(0, n.Memory-n.Used) * m.jobs[k].Used
		}
		if n.Devices > 0 && n.Busy >= 0 {
			u := of(devices, j, n.Name)
			p.DevicesJobs++
			time := n.Devices * m.jobs[k].Used
			held, busy = held+time, busy+time*n.Busy
			u.Asked, u.Used, u.Wasted = u.Asked+time, u.Used+time*n.Busy, u.Wasted+time*(1-n.Busy)
		}
	}
	list := func(of map[key]*Unused, mean bool) (list []Unused) {
		for _, u := range of {
			if mean {
				u.Asked, u.Used = u.Asked/float64(u.Jobs), u.Used/float64(u.Jobs)
			}
			list = append(list, *u)
		}
		slices.SortFunc(list, func(a, b Unused) int {
			return cmp.Or(cmp.Compare(b.Wasted, a.Wasted), cmp.Compare(a.User, b.User), cmp.Compare(a.Name, b.Name))
		})
		return list
	}
	p.Memory, p.Devices = list(memory, true), list(devices, false)
	if asked > 0 {
		p.MemoryUsed = used / asked
		m.matter(0.2*(1-p.MemoryUsed), "Jobs use %s of the memory that they ask for.", percent(p.MemoryUsed))
	}
	if held > 0 {
		p.DevicesUsed = busy / held
		m.matter(0.6*(1-p.DevicesUsed), "GPUs that jobs hold are busy %s of the time.", percent(p.DevicesUsed))
	}
	return nil
}
