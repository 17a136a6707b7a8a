package model_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/allot-opt/allot/model"
)

func TestReadSaysWhereAFileIsNotJSON(t *testing.T) {
	before := `{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m"}]}], "jobs": [{"id": "j", `
	at := func(path, message string, offset int) []string {
		return []string{fmt.Sprintf("%snot JSON: %s at byte %d", path, message, len(before)+offset)}
	}
	checkRefused(t, []refused{
		{"NaN", before + `"work": NaN}]}`, at("jobs[0].work: ", "invalid character 'N' at start of value", 8)},
		{"infinity", before + `"work": -Infinity}]}`, at("jobs[0].work: ", "invalid character 'I' in number (expecting digit)", 9)},
		{"plus sign", before + `"work": +1}]}`, at("jobs[0].work: ", "invalid character '+' at start of value", 8)},
		{"leading zero", before + `"work": 01}]}`, at("jobs[0]: ", "invalid character '1' after object value (expecting ',' or '}')", 9)},
		{"no digit before the point", before + `"work": .5}]}`, at("jobs[0].work: ", "invalid character '.' at start of value", 8)},
		{"no digit after the point", before + `"work": 1.}]}`, at("jobs[0].work: ", "invalid character '}' in number (expecting digit)", 10)},
		{"comma too many in an object", before + `"work": 1,}]}`, at("jobs[0]: ", "a comma with no value before or after it", 9)},
		{"comma too many in an array", before + `"work": 1},]}`, at("jobs[1]: ", "a comma with no value before or after it", 10)},
		{"comma missing", before + `"work": 1 "tasks": 1}]}`, at("jobs[0]: ", `invalid character '"' after object value (expecting ',' or '}')`, 10)},
		{"colon missing", before + `"work" 1}]}`, at("jobs[0].work: ", "invalid character '1' after object name (expecting ':')", 7)},
		{"value missing", before + `"work": }]}`, at("jobs[0].work: ", "invalid character '}' at start of value", 8)},
		{"wrong bracket", before + `"work": 1]]}`, at("jobs[0]: ", "invalid character ']' after object value (expecting ',' or '}')", 9)},
		{"name without quotes", before + `work: 1}]}`, at("jobs[0]: ", "invalid character 'w' at start of value", 0)},
		{"single quotes", before + `'work': 1}]}`, at("jobs[0]: ", `invalid character '\'' at start of value`, 0)},
		{"number as a name", before + `1: 1}]}`, at("jobs[0]: ", "object member name must be a string", 0)},
		{"comment", before + `/* x */ "work": 1}]}`, at("jobs[0]: ", "invalid character '/' at start of value", 0)},
		{"not UTF-8", before + "\"span\": \"\xff\"}]}", at("jobs[0].span: ", "invalid UTF-8", 9)},
		{"not UTF-8 in a name", before + "\"\xff\": 1}]}", at("jobs[0]: ", "invalid UTF-8", 1)},
		{"half a surrogate pair", before + `"span": "\ud800"}]}`, at("jobs[0].span: ", "invalid surrogate pair `\\ud800\"}]}` in string", 9)},
		{"line break in a text", before + "\"span\": \"\n\"}]}", at("jobs[0].span: ", `invalid character '\n' in string (expecting non-control character)`, 9)},
		{"escape that there is not", before + `"span": "\q"}]}`, at("jobs[0].span: ", "invalid escape sequence `\\q` in string", 9)},
		{"byte order mark", "\ufeff" + job(`"tasks": 1`), []string{"not JSON: a byte order mark at byte 0"}},
		{"UTF-16", "\xff\xfe{\x00", []string{`not JSON: invalid character '\xff' at start of value at byte 0`}},
		{"another format", "; Version: 2.2\n1 0 3\n", []string{"not JSON: invalid character ';' at start of value at byte 0"}},
	}, readInstance)
}

func TestReadSaysWhereAFileEnds(t *testing.T) {
	whole := document("", oneCluster, oneJob)
	checkRefused(t, []refused{
		{"empty", "", []string{"expected a JSON value, found an empty file"}},
		{"white space only", " \n\t", []string{"expected a JSON value, found an empty file"}},
		{"in a field's name", `{"sche`, []string{"the file ends early, at byte 6, inside a JSON value"}},
		{"before a value", `{"schema":`, []string{"schema: the file ends early, at byte 10, inside a JSON value"}},
		{"in a literal", `{"name": tru`, []string{"name: the file ends early, at byte 12, inside a JSON value"}},
		{"in a number", `{"schema": "allot/instance/1", "jobs": [{"arrival": 1`, []string{"jobs[0]: the file ends early, at byte 53, inside a JSON value"}},
		{"after faults", `{"schema": 1, "jobs": [{"id": "j", "arrival": -1, `, []string{
			"schema: expected a text, found 1",
			"jobs[0].arrival: expected 0 or a number in [1e-18, 1e+18], found -1",
			"jobs[0]: the file ends early, at byte 50, inside a JSON value",
		}},
		{"text behind it", whole + " x", []string{fmt.Sprintf("not JSON: invalid character 'x' at start of value at byte %d", len(whole)+1)}},
		{"bracket too many", whole + "}", []string{fmt.Sprintf("not JSON: invalid character '}' at start of value at byte %d", len(whole))}},
		{"second value", whole + "\n" + whole, []string{"expected the end of the file after the JSON value"}},
		{"second value of another kind", whole + "1", []string{"expected the end of the file after the JSON value"}},
	}, readInstance)
	for n := range len(whole) {
		if _, err := readInstance(whole[:n]); err == nil {
			t.Errorf("read the first %d of %d bytes", n, len(whole))
		}
	}
}

func TestReadRefusesDeepNesting(t *testing.T) {
	for _, c := range []struct{ name, open, close string }{{"arrays", "[", "]"}, {"objects", `{"a":`, "}"}} {
		text := header(`"deep": ` + strings.Repeat(c.open, 1_000_000) + "1" + strings.Repeat(c.close, 1_000_000))
		_, err := readInstance(text)
		if err == nil || !strings.Contains(err.Error(), "in.json: deep: not JSON: values nested too deep at byte ") {
			t.Errorf("%s: got %v", c.name, err)
		}
		shallow := header(`"deep": ` + strings.Repeat(c.open, 9000) + "1" + strings.Repeat(c.close, 9000))
		if _, err := readInstance(shallow); err == nil || err.Error() != "in.json: deep: unknown field; expected one of "+headerFields {
			t.Errorf("%s, 9000 deep: got %v", c.name, err)
		}
	}
}

func TestReadPassesOnWhatReadingReturned(t *testing.T) {
	broken := errors.New("the disk is on fire")
	text := document("", oneCluster, oneJob)
	for _, cut := range []int{0, 1, 40, len(text) - 1, len(text)} {
		r := iotest.OneByteReader(strings.NewReader(text[:cut]))
		_, err := model.ReadInstance(&failing{r, broken}, "in.json")
		if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "in.json: ") || !strings.HasSuffix(err.Error(), ": the disk is on fire") {
			t.Errorf("after %d bytes: got %v", cut, err)
		}
	}
}

// failing gives an error where another reader ends.
type failing struct {
	r interface {
		Read([]byte) (int, error)
	}
	err error
}

func (f *failing) Read(buffer []byte) (int, error) {
	n, err := f.r.Read(buffer)
	if err != nil {
		err = f.err
	}
	return n, err
}

// solution is a solution with the given fields besides the schema.
func solution(fields string) string { return `{"schema": "allot/solution/1", ` + fields + `}` }

func TestReadSolutionRefuses(t *testing.T) {
	placed := func(fields string) string { return solution(`"jobs": [{` + fields + `}]`) }
	const placement = `"job": "j", "cluster": "c", "start": 0, "end": 1`
	const time, sets = "expected a finite number of at least 0, found ", `expected processors such as "0-3,7", found `
	checkRefused(t, []refused{
		{"wrong schema", `{"schema": "allot/instance/1", "jobs": []}`, []string{`schema: expected "allot/solution/1", found "allot/instance/1"`}},
		{"nothing given", `{}`, []string{`expected the field "schema", found none`, `expected the field "jobs", found none`}},
		{"placement without fields", placed(""), []string{`jobs[0]: expected the field "job", found none`, `jobs[0]: expected the field "start", found none`, `jobs[0]: expected the field "end", found none`}},
		{"unknown field", placed(placement + `, "machine": "m"`), []string{"jobs[0].machine: unknown field; expected one of job, cluster, processors, start, end, pieces, devices"}},
		{"negative start", placed(`"job": "j", "start": -1, "end": 1e999`), []string{"jobs[0].start: " + time + "-1", "jobs[0].end: expected a finite number, found 1e999"}},
		{"list of processors", placed(placement + `, "processors": [0, 1]`), []string{"jobs[0].processors: expected a text, found an array"}},
		{"no processors", placed(placement + `, "processors": ""`), []string{"jobs[0].processors: " + sets + `""`}},
		{"processors in words", placed(placement + `, "processors": "0 to 3"`), []string{"jobs[0].processors: " + sets + `"0 to 3"`}},
		{"processors backwards", placed(placement + `, "processors": "3-0"`), []string{"jobs[0].processors: " + sets + `"3-0"`}},
		{"processor beyond 2³¹", placed(placement + `, "processors": "0-2147483648"`), []string{"jobs[0].processors: " + sets + `"0-2147483648"`}},
		{"processor twice", placed(placement + `, "processors": "0-3,2"`), []string{`jobs[0].processors: expected each processor once, found "0-3,2"`}},
		{"piece without tasks", placed(placement + `, "pieces": [{"cluster": "c", "processors": "0", "start": 0, "end": 1}]`), []string{`jobs[0].pieces[0]: expected the field "tasks", found none`}},
		{"no reason", solution(`"jobs": [], "unscheduled": [{"job": "j", "reason": ""}]`), []string{"unscheduled[0].reason: expected a text of 1 to 100000 bytes, found 0 bytes"}},
		{"status", solution(`"jobs": [], "status": "done", "stop": "optimal"`), []string{
			`status: expected one of unknown, feasible, optimal, infeasible, found "done"`, `stop: expected one of done, time, evaluations, cancelled, found "optimal"`}},
		{"seed", solution(`"jobs": [], "seed": -1`), []string{"seed: expected a whole number in [0, 2^64), found -1"}},
		{"seed too large", solution(`"jobs": [], "seed": 18446744073709551616`), []string{"seed: expected a whole number in [0, 2^64), found 18446744073709551616"}},
		{"seed in words", solution(`"jobs": [], "seed": "1"`), []string{`seed: expected a whole number, found "1"`}},
		{"parameter", solution(`"jobs": [], "parameters": {"a": [1], "b": null, "c": {}, "c": 1, "": 2}`), []string{
			"parameters.a: expected a number, a text, true or false, found an array",
			"parameters.b: expected a number, a text, true or false, found null",
			"parameters.c: expected a number, a text, true or false, found an object",
			"parameters.c: expected the name once, found it again",
			`parameters[""]: expected a name of 1 to 1000 bytes, found 0 bytes`,
		}},
		{"metric", solution(`"jobs": [], "metrics": {"makespan": "6", "cp": {"c": null}, "cost": 1e999, "cost": 1}`), []string{
			`metrics.makespan: expected a number, found "6"`, "metrics.cp.c: expected a number, found null",
			"metrics.cost: expected a finite number, found 1e999", "metrics.cost: expected the metric once, found it again",
		}},
		{"bound", solution(`"jobs": [], "bound": null, "objective": "-"`), []string{"bound: expected a number, found null", `objective: expected a number, found "-"`}},
		{"evaluations", solution(`"jobs": [], "stats": {"evaluations": 1.5}`), []string{"stats.evaluations: expected a whole number in [0, 2^53], found 1.5"}},
		{"loads", solution(`"jobs": [], "loads": [{"cluster": "c", "machine": "m", "rate": -1}]`), []string{"loads[0].rate: " + time + "-1"}},
	}, func(text string) (*model.Solution, error) {
		return model.ReadSolution(strings.NewReader(text), "in.json")
	})
}

func TestReadSolutionAcceptsUnusualNumbers(t *testing.T) {
	sol, err := model.ReadSolution(strings.NewReader(solution(`"jobs": [{"job": "j", "start": 1e-300, "end": 1e300}],
		"seed": 1e3, "objective": -1e-200, "bound": -0, "stats": {"evaluations": 5000000000}, "metrics": {"idle_time": 3e-19}`)), "in.json")
	if err != nil {
		t.Fatal(err)
	}
	if sol.Seed != 1000 || *sol.Objective != -1e-200 || sol.Stats.Evaluations != 5_000_000_000 || sol.Metrics["idle_time"].Total != 3e-19 {
		t.Errorf("got %+v", sol)
	}
	if sol, err = model.ReadSolution(strings.NewReader(solution(`"jobs": [], "seed": 18446744073709551615`)), "in.json"); err != nil || sol.Seed != 1<<64-1 {
		t.Errorf("got %+v, %v", sol, err)
	}
}
