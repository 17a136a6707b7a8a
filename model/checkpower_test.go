package model_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// powerPlan is a horizon from 2 to 40; machine m that begins off and may take its processor; machine s that is suspended after 3; a cap from 5 on.
const powerPlan = `{"schema": "allot/instance/1", "horizon": {"from": 2, "to": 40}, "clusters": [{"id": "c", "power_cap": [[5, 14], [30, 8]], "machines": [
	{"id": "m", "processors": 2, "power": {"idle": 1, "busy": 4, "begin": "deep", "end": "deep",
		"off": [{"name": "deep", "down": {"time": 2}, "up": {"time": 3}}, {"name": "nap", "power": 0.5}]}},
	{"id": "s", "power": {"idle": 1, "busy": 6, "off": [{"name": "off", "down": {"time": 1}, "up": {"time": 2}}], "suspend_after": 3}}]}],
	"jobs": [{"id": "a", "work": 4}, {"id": "b", "work": 4}, {"id": "d", "work": 4}, {"id": "z", "work": 0}]}`

// powerSolution is right: m serves a and b, s serves d.
func powerSolution() *model.Solution {
	return &model.Solution{Jobs: []model.Placement{placed("a", "c", "0", 5, 9), placed("b", "c", "1", 20, 24), placed("d", "c", "2", 8, 12), placed("z", "c", "2", 3, 3)}}
}

var brokenPower = []broken{
	{"all right", func(*model.Solution) {}, nil},
	{"starts before the horizon", move("z", "c", "0", 1, 1), []string{"horizon job z [1, 1): the horizon is from 2 to 40"}},
	{"ends after the horizon", move("d", "c", "2", 37, 41), []string{
		"horizon job d [37, 41): the horizon is from 2 to 40"}},
	{"at both ends of it", func(sol *model.Solution) {
		move("d", "c", "2", 36, 40)(sol)
		move("z", "c", "0", 2, 2)(sol)
	}, nil},
	{"not up yet", move("a", "c", "0", 4, 8), []string{"asleep job a cluster c resource m [4, 8): the machine has been free since 2, and cannot be on again by then"}},
	{"not down in time", move("b", "c", "1", 35, 39), []string{
		"asleep cluster c resource m [39, 40): the machine has the time from 39 to 40, and cannot be in its last state by then"}},
	{"while it is suspended", move("d", "c", "2", 7, 11), []string{"asleep job d cluster c resource s [7, 11): the machine has been free since 2, and cannot be on again by then"}},
	{"just before it is suspended", move("d", "c", "2", 4, 8), nil},
	{"three at once", func(sol *model.Solution) {
		move("a", "c", "0", 7, 11)(sol)
		move("b", "c", "1", 10, 14)(sol)
	}, []string{"power-cap job b cluster c [10, 14): takes 16 from 10 on, may take 14"}},
	{"the cap falls meanwhile", func(sol *model.Solution) {
		move("a", "c", "0", 27, 31)(sol)
		move("b", "c", "1", 27, 31)(sol)
	}, []string{"power-cap job b cluster c [30, 31): takes 10 from 30 on, may take 8"}},
	{"before the first cap", func(sol *model.Solution) {
		move("d", "c", "2", 2, 5)(sol)
		sol.Jobs[2].End = 6
	}, nil},
}

func TestCheckRefusesWhatPowerForbids(t *testing.T) {
	in, err := readInstance(powerPlan)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range brokenPower {
		t.Run(c.name, func(t *testing.T) {
			sol := powerSolution()
			c.change(sol)
			if got, want := violations(model.Check(in, sol)), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestReadRefusesWrongPower(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{`"horizon": {"from": 2, "to": 40}, `, ``, "clusters[0].machines[0].power.begin: expected a horizon in an instance whose machines begin or end off, found none\nin.json: clusters[0].machines[0].power.end: expected a horizon in an instance whose machines begin or end off, found none"},
		{`"begin": "deep", "end": "deep",`, `"begin": "nap", "end": "long", "off": [{"name": "long", "down": {"time": 38.5}}, {"name": "nap"}]}}, {"id": "o", "power": {`,
			"clusters[0].machines[0].power: expected ways from begin to end that fit into the horizon, from 2 to 40, found longer ones"},
		{`"from": 2`, `"from": 40`, "horizon: expected from < to, found from 40 and to 40"},
		{`[[5, 14]`, `[[5, 1.5]`, "clusters[0].power_cap[0]: expected at least the idle power of all machines, 2, found 1.5"},
		{`[[5, 14], [30`, `[[5, 14], [5`, "clusters[0].power_cap[1]: expected a time after that of the pair before, 5, found 5"},
		{`[[5, 14]`, `[[5, 14, 1]`, "clusters[0].power_cap[0]: expected a pair [time, value], found 3 numbers"},
		{`[[5, 14], [30, 8]]`, `[]`, "clusters[0].power_cap: expected at least one pair [time, value], found none"},
		{`"begin": "deep"`, `"begin": "dep"`, `clusters[0].machines[0].power.begin: expected idle or a name of off, found "dep"`},
		{`"name": "nap"`, `"name": "deep"`, `clusters[0].machines[0].power.off[1].name: expected a unique name other than idle, found "deep"`},
		{`"suspend_after": 3`, `"suspend_after": 3, "end": "off"`, `clusters[0].machines[1].power.end: expected no state beside suspend_after, which says in which the machine ends; found "off"`},
		{`"busy": 6, "off": [{"name": "off", "down": {"time": 1}, "up": {"time": 2}}]`, `"busy": 6`, "clusters[0].machines[1].power.suspend_after: expected states in off, found none"},
		{`"id": "s", `, `"id": "s", "background": {"load": 0.1, "mean": 1}, `, "clusters[0].machines[1].background: expected no background load in an instance that states power"},
		{`"jobs"`, `"tariff": {"price": [[3, 1]]}, "jobs"`, "tariff.price[0]: expected a value from 2 on, where the time begins that counts; the first is of 3"},
		{`"jobs"`, `"tariff": {"price": [[3, 1], [5, 2]], "period": 2}, "jobs"`, "tariff.price[1]: expected a time less than the period, 2, after the first, found 5"},
		{`"jobs"`, `"tariff": {}, "jobs"`, "tariff: expected price or carbon, found neither"},
		{`"jobs"`, `"tariff": {"price": [[-1, 1]]}, "jobs"`, "tariff.price[0]: expected a time of at least 0, found -1"},
		{`"jobs"`, `"objective": {"carbon": 1}, "tariff": {"price": [[0, 1]]}, "jobs"`, "objective.carbon: expected a tariff with carbon in every cluster, found none"},
	} {
		_, err := readInstance(strings.Replace(powerPlan, c.old, c.with, 1))
		if err == nil || err.Error() != "in.json: "+c.want {
			t.Errorf("%s: got %v\nwant %s", c.with, err, c.want)
		}
	}
	_, err := readInstance(document(`"objective": {"energy": 1},`, `{"id": "c", "machines": [{"id": "m", "power": {}}]}`, `{"id": "j", "work": 1}`))
	if want := "in.json: objective.energy: expected a horizon, within which it counts, found none"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// Where no schedule can be right, as machines cannot be in their last states behind the jobs that run already, the instance is refused.
func TestReadRefusesJobsThatKeepMachinesOn(t *testing.T) {
	for work, want := range map[string]string{
		"7": "",
		"8": "in.json: horizon: expected time in which machines are in their last states behind the jobs that run already: of m of c: the machine has the time from 8 to 10, and cannot be in its last state by then",
	} {
		_, err := readInstance(`{"schema": "allot/instance/1", "horizon": {"to": 10}, "clusters": [{"id": "c", "machines": [{"id": "m", "power": {"end": "z", "off": [{"name": "z", "down": {"time": 3}}]}}]}],
			"jobs": [{"id": "r", "work": ` + work + `, "running": {"cluster": "c", "processors": "0"}}, {"id": "a", "work": 1}]}`)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("work %s: got %v, want %q", work, err, want)
		}
	}
}
