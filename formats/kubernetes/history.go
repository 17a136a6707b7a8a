package kubernetes

import (
	"bufio"
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/allot-opt/allot/formats/lines"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/budget"
)

// history is the run times of earlier jobs, in seconds and ascending, by namespace/name and by namespace/family. The namespace is empty where the file states none.
type history map[string][]float64

// readHistory reads the file of run times; the path is empty where there is none.
func readHistory(within *budget.Budget, path string) (history, error) {
	h := history{}
	if path == "" {
		return h, nil
	}
	file, err := model.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	name := model.InputName(path)
	text, faults := lines.Begin(within.Reader(file), name)
	b := bufio.NewReaderSize(text, 1<<16)
	begin, _ := b.Peek(1 << 12) // an error comes again with the first read
	if begin = bytes.TrimSpace(bytes.TrimPrefix(begin, []byte("\ufeff"))); len(begin) > 0 && (begin[0] == '{' || looksYAML(string(begin))) {
		o := newObjects("", false)
		o.file = name
		if err := o.readWithin(b, faults); err != nil {
			return nil, err
		}
		o.runTimes(h)
	} else {
		t := &lines.Table{Faults: faults}
		t.Scan(b, []string{"name", "runtime"}, "a history of run times", func() {
			run, err := lines.NonNegative(t.Cell("runtime"))
			if err != nil {
				faults.Line(t.Line, "runtime: %s", err)
				return
			}
			if t.Cell("name") == "" {
				faults.Line(t.Line, "name: expected the name of a job or of its owner, found none")
			}
			h.add(strings.Clone(t.Cell("namespace")), strings.Clone(t.Cell("name")), run)
		})
		if err := faults.Err(); err != nil {
			return nil, err
		}
	}
	for _, list := range h {
		slices.Sort(list)
	}
	return h, nil
}

// runTimes adds the run times of the Jobs and pods that have ended well.
func (o *objects) runTimes(h history) {
	for _, id := range sortedKeys(o.jobs) {
		if j := o.jobs[id]; j.started > 0 && j.ended > 0 {
			h.add(j.namespace, j.name, max(0, j.ended-j.started))
		}
	}
	for k := range o.pods {
		p := &o.pods[k]
		name := p.name
		if p.owner != "" {
			if p.ownerKind == "Job" && o.jobs[p.namespace+"/"+p.owner] != nil {
				continue // the Job says it
			}
			name = p.owner
		}
		if p.phase == "Succeeded" && p.started > 0 && p.ended > 0 {
			h.add(p.namespace, name, max(0, p.ended-p.started))
		}
	}
}

// add adds a run time under the name and under its family.
func (h history) add(namespace, name string, run float64) {
	h[namespace+"/"+name] = append(h[namespace+"/"+name], run)
	if f := family(name); f != name {
		h[namespace+"/"+f] = append(h[namespace+"/"+f], run)
	}
}

// of is the median of the run times above elapsed of the jobs with one of the names; the first name that is known counts, a whole name before its family.
// Known says that there are any; where all are below elapsed, the run time is elapsed.
func (h history) of(namespace string, names []string, elapsed float64) (run float64, known bool) {
	for _, name := range names {
		if name == "" {
			continue
		}
		for _, key := range []string{namespace + "/" + name, namespace + "/" + family(name), "/" + name, "/" + family(name)} {
			list := h[key]
			if len(list) == 0 {
				continue
			}
			if elapsed > 0 {
				from, _ := slices.BinarySearch(list, math.Nextafter(elapsed, math.Inf(1)))
				if list = list[from:]; len(list) == 0 {
					return elapsed, true
				}
			}
			return list[(len(list)-1)/2], true
		}
	}
	return 0, false
}

// runTime reads the annotation of a run time: seconds, or a text such as 1h30m.
func runTime(text string) (seconds float64, ok bool) {
	if x, err := lines.NonNegative(text); err == nil {
		return x, true
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		if days, found := strings.CutSuffix(text, "d"); found {
			x, err := strconv.ParseFloat(days, 64)
			return x * 86400, err == nil && x >= 0 && x < 1e9
		}
		return 0, false
	}
	return d.Seconds(), true
}
