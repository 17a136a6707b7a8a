package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/often"
	"github.com/allot-opt/allot/model"
)

// between are the errors about values that do not fit together, which a schema cannot express.
var between = regexp.MustCompile(strings.Join([]string{
	"unique id", "id unique in the cluster", // ids
	"the id of a (cluster|job|workflow)", "one of user_classes", "a licence that a pool or a machine names", // references
	"expected no cycle", "expected min ≤ max",
	"an arrival rate, because the objective", "expected at most [0-9]+ ", "expected [(](jobs|clusters) .*≤", // sizes, rates
}, "|"))

// values replace a value of a document. None is at an edge where rounding to float64 decides.
var values = []string{
	`null`, `true`, `false`, `""`, `"x"`, `"c1"`, `"0-3,7"`, `"machine"`, `"` + letters(1000) + `"`, `"` + letters(1001) + `"`,
	`"` + letters(100_000) + `"`, `"` + letters(100_001) + `"`,
	`0`, `1`, `-1`, `2`, `2.0`, `1e1`, `0.5`, `2147483647`, `2147483648`, `1000000000000000000`, `1100000000000000000`, `-1e18`, `-1.1e18`, `1e-18`, `1e30`,
	`9007199254740992`, `9007199254740994`, `18446744073709551615`,
	`[]`, `{}`, `[1]`, `["x"]`, `[{}]`, `{"x": 1}`, `{"x": "y"}`, `{"c1": 3}`, `{"c1": -1}`, `{"mcp": 1}`, `{"cp": 1}`,
	`{"min": 1, "max": 2}`, `{"min": 0, "max": 2}`, `{"min": 1.5, "max": 2}`, `{"max": 2}`, `{"": 1}`,
}

// names replace a name in an object or are added to one.
var names = []string{
	"", "x", "id", "name", "schema", "work", "runtime", "estimate", "count", "processors", "licences", "weights", "c1", "mcp", "cp",
	"makespan", "min", "start", "job", letters(1000), letters(1001),
}

// place is a member of an object or an element of a list somewhere in a document.
type place struct {
	object map[string]any
	name   string
	list   []any
	index  int
	set    func(any) // replaces the object or list as a whole
	path   string
}

// places lists all members and elements below a node, in an order that is always the same.
func places(node any, path string, set func(any)) []place {
	var list []place
	switch node := node.(type) {
	case map[string]any:
		members := make([]string, 0, len(node))
		for name := range node {
			members = append(members, name)
		}
		slices.Sort(members)
		for _, name := range members {
			at := path + "/" + name
			list = append(list, place{object: node, name: name, set: set, path: at})
			list = append(list, places(node[name], at, func(v any) { node[name] = v })...)
		}
	case []any:
		for k := range node {
			at := path + "/" + strconv.Itoa(k)
			list = append(list, place{list: node, index: k, set: set, path: at})
			list = append(list, places(node[k], at, func(v any) { node[k] = v })...)
		}
	}
	return list
}

// mutate changes one thing and says what.
func mutate(t *rapid.T, p place, value any) string {
	how := rapid.SampledFrom([]string{"replace", "remove", "rename", "add"}).Draw(t, "how")
	name := rapid.SampledFrom(names).Draw(t, "name")
	switch {
	case how == "remove" && p.object != nil:
		delete(p.object, p.name)
	case how == "remove":
		p.set(slices.Delete(slices.Clone(p.list), p.index, p.index+1))
	case how == "rename" && p.object != nil:
		kept := p.object[p.name]
		delete(p.object, p.name)
		p.object[name] = kept
	case how == "add" && p.object != nil:
		p.object[name] = value
	case how == "add":
		p.set(append(slices.Clone(p.list), value))
	case p.object != nil:
		p.object[p.name] = value
	default:
		p.list[p.index] = value
	}
	return fmt.Sprintf("%s %s (name %.20q, value %.40v)", how, p.path, name, value)
}

// agree holds that schema and reader give the same verdict on documents with one mutation.
func agree(t *testing.T, f format, files ...string) {
	documents := map[string][]byte{}
	for _, file := range files {
		documents[file] = readFile(t, file)
	}
	property := func(t *rapid.T) {
		var root, value any
		if err := unmarshal(documents[rapid.SampledFrom(files).Draw(t, "file")], &root); err != nil {
			t.Fatal(err)
		}
		if err := unmarshal([]byte(rapid.SampledFrom(values).Draw(t, "value")), &value); err != nil {
			t.Fatal(err)
		}
		everywhere := places(root, "", func(v any) { root = v })
		what := mutate(t, everywhere[rapid.IntRange(0, len(everywhere)-1).Draw(t, "place")], value)
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		bySchema, byReader := f.schema.Validate(root), f.read(text)
		switch {
		case (bySchema == nil) == (byReader == nil):
		case bySchema == nil && onlyBetween(byReader):
		case bySchema != nil && metrics.MatchString(what):
		default:
			t.Fatalf("%s\nschema: %v\nreader: %v", what, bySchema, byReader)
		}
	}
	often.Check(t, 5, property) // a hundred documents each
}

// metrics are the mutations of a solution's metrics, see TestMetricsOfASolution.
var metrics = regexp.MustCompile(`^[a-z]+ /metrics`)

// unmarshal reads JSON with exact numbers.
func unmarshal(text []byte, target any) error {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	return decoder.Decode(target)
}

// onlyBetween says that all faults are of the kind that a schema cannot express.
func onlyBetween(err error) bool {
	var input *model.InputError
	if !errors.As(err, &input) {
		return false
	}
	return !slices.ContainsFunc(input.Faults, func(f model.Fault) bool { return !between.MatchString(f.Message) })
}

func TestInstanceMutations(t *testing.T) {
	folder := "../examples/"
	agree(t, instances(t), smallGrid, folder+"table1.json", folder+"etc.json", folder+"ggone.json", folder+"machines.json",
		folder+"workflow.json", folder+"moldable.json")
}

func TestSolutionMutations(t *testing.T) { agree(t, solutions(t), fullSolution) }
