package formats_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/model"
)

// lengths reads a job from each line, which states its length.
type lengths struct {
	Processors int `range:"[1, 1000]" doc:"'N' processors of the system"`
}

func (l *lengths) Read(r io.Reader, name string) (*model.Instance, *model.ImportReport, error) {
	if err := formats.Check(l, "c"); err != nil {
		return nil, nil, err
	}
	b := model.NewBuilder(name).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: l.Processors}}})
	report := &model.ImportReport{Format: "lengths", File: name}
	for lines := bufio.NewScanner(r); lines.Scan(); report.Read, report.Kept = report.Read+1, report.Kept+1 {
		var work float64
		if _, err := fmt.Sscan(lines.Text(), &work); err != nil {
			return nil, nil, fmt.Errorf("%s: line %d: %w", name, report.Read+1, err)
		}
		b.Job(model.JobSpec{ID: fmt.Sprint("j", report.Read), Work: &work})
	}
	in, err := b.Build()
	return in, report, err
}

// A format that registers itself is recognised and read as those of allot are.
func ExampleRegister() {
	formats.Register(formats.Info{
		Name: "lengths", Doc: "a job a line, by its length", Example: "allot import lengths jobs.len", Order: 100,
		New: func() formats.Reader { return &lengths{Processors: 2} }, Extensions: []string{".len"},
	})
	text := "3\n4.5\n"
	info, ok := formats.Recognise("jobs.len", []byte(text))
	if !ok {
		log.Fatal("no format is known that looks like the file")
	}
	in, report, err := info.New().Read(strings.NewReader(text), "jobs.len")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d jobs for %d processors\n", report.Format, len(in.Jobs()), in.Processors())
	// Output: lengths: 2 jobs for 2 processors
}
