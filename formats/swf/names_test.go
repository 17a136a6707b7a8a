package swf_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/swf"
	"github.com/allot-opt/allot/model"
)

// TestUsersGroupsAndQueues: the numbers of a trace are names, and −1 or what is no whole number is none.
func TestUsersGroupsAndQueues(t *testing.T) {
	_, report := read(t, oneJob(map[int]string{12: "alice", 13: "-1", 15: "1e300"}), swf.NewReader())
	if text := report.String(); !strings.Contains(text, "user is no whole number up to 10¹⁵: unknown") || strings.Contains(text, "group is") || !strings.Contains(text, "queue is no whole") {
		t.Errorf("the report does not say that user and queue are unknown: %s", text)
	}
	for _, c := range []struct{ user, group, queue, want string }{
		{"7", "0", "3", "7 0 3"}, {"-1", "-1", "-1", "  "}, {"2147483647", "94435408522577", "1e300", "2147483647 94435408522577 "}, {"1e15", "1000000000000001", "1e16", "1000000000000000  "},
		{"alice", "1.5", "NaN", "  "}, {"4.0", "-3", "", "4  "},
	} {
		in, _ := read(t, oneJob(map[int]string{12: c.user, 13: c.group, 15: c.queue}), swf.NewReader())
		j := &in.Jobs()[0]
		if got := j.User() + " " + j.Group() + " " + j.Queue(); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}

// placed is an instance of jobs one after the other with the given users, and a schedule.
func placed(t *testing.T, users ...string) (*model.Instance, *model.Solution) {
	t.Helper()
	work := 1.0
	b := model.NewBuilder("n").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	sol := &model.Solution{Instance: "n"}
	for k, user := range users {
		id := string(rune('a' + k))
		b.Job(model.JobSpec{ID: id, Work: &work, User: user, Queue: "q"})
		sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.NewProcessorSet(model.Range{}), Start: float64(k), End: float64(k + 1)})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, sol
}

// TestWriteUsers: whole numbers stay as they are; other names are numbered, and the header says which is which.
func TestWriteUsers(t *testing.T) {
	for _, c := range []struct {
		users []string
		want  string
	}{
		{[]string{"7", "0", "", "7"}, "7 0 -1 7"},
		{[]string{"7", "bob", "", "007", "bob"}, "; User: 1 7|; User: 2 bob|; User: 3 007|1 2 -1 3 2"},
		{[]string{"94435408522577", "8"}, "94435408522577 8"},
		{[]string{"9223372036854775807"}, "; User: 1 9223372036854775807|1"},
		{[]string{"two\nlines"}, "; User: 1 two lines|1"},
	} {
		in, sol := placed(t, c.users...)
		var out bytes.Buffer
		if err := swf.Write(&out, in, sol); err != nil {
			t.Fatal(err)
		}
		var comments, numbers []string
		for line := range strings.Lines(out.String()) {
			switch fields := strings.Fields(line); {
			case strings.HasPrefix(line, "; User: "):
				comments = append(comments, strings.TrimSpace(line))
			case fields[0] != ";":
				numbers = append(numbers, fields[11])
				if fields[14] != "1" {
					t.Errorf("%q: got %q as the number of queue q", c.users, fields[14])
				}
			}
		}
		if got := strings.Join(append(comments, strings.Join(numbers, " ")), "|"); got != c.want {
			t.Errorf("%q: got %s\nwant %s", c.users, got, c.want)
		}
	}
}
