package process

import (
	"math"
	"strings"
	"testing"

	"github.com/kballard/go-shellquote"

	"github.com/allot-opt/allot/internal/needs"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// FuzzAnswer: no answer of a program causes a panic, and what is read keeps the tags. An answer with a fault is refused as a whole.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{`{}`, `{"start":[{"job":"a","cluster":"c"}],"call_me_at":5}`, `{"start":[{"job":"a","cluster":"c","processors":2}]}`,
		`{"start":[{"job":"a","cluster":"c","on":"0-3,7"}]}`, `{"reject":[{"job":"a","reason":"r"}]}`, `{"call_me_at":NaN}`, `{"call_me_at":1e999}`, `{"start":{}}`, `{"start":[`, `[]`,
		`{"start":[],"start":[]}`, `{"start":[{"job":"a","cluster":"c","on":"0-99999999999999999999"}]}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		answer, err := readAnswer(text)
		if err != nil {
			if answer != nil || err.Error() == "" {
				t.Errorf("%v beside %+v", err, answer)
			}
			return
		}
		if at := answer.CallMeAt; at != nil && !(math.Abs(*at) <= 1e18) {
			t.Errorf("a call at %v", *at)
		}
		for _, s := range answer.Start {
			if s.Job == "" || s.Cluster == "" || s.Processors < 0 || s.On != nil && s.On.Len() < 1 {
				t.Errorf("start %+v", s)
			}
		}
		for _, r := range answer.Reject {
			if r.Job == "" {
				t.Errorf("reject %+v", r)
			}
		}
	})
}

// A program that asks for call after call while nothing runs and nobody arrives is stopped, and one that does so while a job runs is not.
func TestCallsForNothing(t *testing.T) {
	needs.Program(t, "sh")
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: new(20.0)}, model.JobSpec{ID: "b", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	const wrong = "asked to be called 10 times in a row while no job ran or arrived: it waits for nothing, at 11"
	for start, want := range map[string]string{``: wrong, `"start":[{"job":"a","cluster":"c"}],`: "at 31"} {
		info, err := externalOnline(`exec-online:sh -c 'read -r h; read -r e; at=2; echo "$0\"call_me_at\":1}"; while read -r e; do echo "{\"call_me_at\": $at}"; at=$((at+1)); done' ` + shellquote.Join("{"+start))
		if err != nil {
			t.Fatal(err)
		}
		policy, _ := solve.PolicyOf(info.New())
		program := policy.(*onlineProgram)
		_, _, err = sim.Simulate(t.Context(), in, sim.Discipline{Requests: true, General: func(platform *sim.Platform, _ uint64) sim.Policy {
			policy := newRemote(program.meet, newGeneral(platform))
			policy.mostIdle = 10
			return policy
		}}, sim.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
}
