package kubernetes_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/allot-opt/allot/model"
)

// place is a value in a tree of values: its path as faults write it, and how to put another there.
type place struct {
	path  string
	value any
	set   func(any)
}

// placesIn are all values below a value.
func placesIn(path string, v any) (list []place) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			of := strings.TrimPrefix(path+"."+name, ".")
			list = append(append(list, place{of, x, func(y any) { v[name] = y }}), placesIn(of, x)...)
		}
	case []any:
		for k, x := range v {
			of := fmt.Sprintf("%s[%d]", path, k)
			list = append(append(list, place{of, x, func(y any) { v[k] = y }}), placesIn(of, x)...)
		}
	}
	return list
}

// A value of the wrong kind is refused with its path, if the field is read; else it changes nothing. Nothing is taken for 0, for false or for empty.
func TestWrongKinds(t *testing.T) {
	const more = `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "x"}, "spec": {"suspend": true, "parallelism": 2, "completions": 3, "template": {"spec": {"containers": []}}}, "status": {"succeeded": 1}}`
	for _, text := range []string{file(t, "small.yaml"), file(t, "kueue.yaml"), list("", podOf("p", `"nodeSelector": {"zone": "a"}`, ""), more)} {
		var whole any
		if err := yaml.Unmarshal([]byte(text), &whole); err != nil {
			t.Fatal(err)
		}
		again := func() string {
			text, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		instance := func() (string, error) {
			texts := []string{again()}
			if strings.Contains(text, "ClusterQueue") {
				texts = append(texts, file(t, "small.yaml"))
			}
			in, _, err := read(nil, texts...)
			if err != nil {
				return "", err
			}
			var text bytes.Buffer
			if err := model.WriteInstance(&text, in); err != nil {
				t.Fatal(err)
			}
			return text.String(), nil
		}
		usual, err := instance()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range placesIn("", whole) {
			wrong := []any{true, []any{[]any{}}}
			switch p.value.(type) {
			case bool:
				wrong = []any{1, "true"}
			case []any:
				wrong = []any{true, "x", map[string]any{"a": 1}}
			case map[string]any:
				wrong = []any{true, "x", []any{1}}
			case string:
				wrong = append(wrong, map[string]any{"a": "b"})
			}
			for _, w := range wrong {
				p.set(w)
				got, err := instance()
				if p.set(p.value); err == nil {
					if got != usual {
						t.Errorf("%s as %v is no fault, and changes the instance", p.path, w)
					}
					continue
				}
				if input := (*model.InputError)(nil); !errors.As(err, &input) || p.path != "items" && !strings.HasPrefix(err.Error(), "f.yaml: "+p.path) { // an object without items is no list
					t.Errorf("%s as %v: %v", p.path, w, err)
				}
			}
		}
	}
}

// However a list of objects is laid out as YAML, the same is read.
func TestLayoutsOfLists(t *testing.T) {
	usual, directive := "", ""
	for _, layout := range []struct{ begin, between string }{
		{"- ", "  "}, {"  - ", "    "}, {"-\n  ", "  "}, {"- \n  ", "  "}, {"  -\n    ", "    "}, {"-   ", "    "}, {"# nodes\n- ", "  "}, {"\n- ", "  "}, {"- # a node\n  ", "  "},
	} {
		text := directive + "apiVersion: v1\nkind: List\nitems:\n"
		directive = "%YAML 1.2\n---\n" // before all but the first
		for _, name := range []string{"a", "b"} {
			lines := []string{"kind: Node", "metadata:", "  name: " + name, "  labels:", "    -x: -y", "spec:", "  taints:", "  - key: k", "    effect: NoSchedule", "  -", "    key: l", "    effect: NoExecute",
				"status:", "  allocatable:", "    cpu: 4", "    pods: 9"}
			text += layout.begin + strings.Join(lines, "\n"+layout.between) + "\n"
		}
		in, _, err := read(nil, text, podOf("p", "", ""))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		var got bytes.Buffer
		if err := model.WriteInstance(&got, in); err != nil {
			t.Fatal(err)
		}
		if usual == "" {
			usual = got.String()
		}
		if got.String() != usual || !strings.Contains(usual, `"id":"b"`) {
			t.Errorf("%s\nis read as\n%s", text, got.String())
		}
	}
}
