package main

import (
	"debug/buildinfo"
	"encoding/json"
	"reflect"
	"runtime/debug"
	"testing"
	"time"
)

// The bill lists what is in the program, with the requirements among that, and nothing else of the graph.
func TestBill(t *testing.T) {
	info := &buildinfo.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/main", Version: "v1.0.0"},
		Deps: []*debug.Module{{Path: "example.org/a", Version: "v1.2.3+incompatible", Sum: "h1:x="}, {Path: "example.org/b", Version: "v2.0.0"}}}
	const graph = "example.org/main go@1.26\nexample.org/main example.org/b@v1.0.0\nexample.org/main example.org/a@v1.2.3+incompatible\n" +
		"example.org/a@v1.2.3+incompatible example.org/b@v2.0.0\nexample.org/a@v1.2.2 example.org/b@v1.9.0\nexample.org/b@v2.0.0 example.org/test@v1.0.0\n"
	text, err := bill(info, graph, time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600)))
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{
		"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": {"timestamp": "2026-01-02T03:04:05Z", "component": {"type": "application", "bom-ref": "pkg:golang/example.org/main@v1.0.0", "name": "example.org/main", "version": "v1.0.0", "purl": "pkg:golang/example.org/main@v1.0.0"}},
		"components": [
			{"type": "library", "bom-ref": "pkg:golang/example.org/a@v1.2.3%2Bincompatible", "name": "example.org/a", "version": "v1.2.3+incompatible", "purl": "pkg:golang/example.org/a@v1.2.3%2Bincompatible",
				"properties": [{"name": "allot:go.sum", "value": "h1:x="}]},
			{"type": "library", "bom-ref": "pkg:golang/example.org/b@v2.0.0", "name": "example.org/b", "version": "v2.0.0", "purl": "pkg:golang/example.org/b@v2.0.0"},
			{"type": "library", "bom-ref": "pkg:golang/std@1.26.8", "name": "std", "version": "1.26.8", "purl": "pkg:golang/std@1.26.8"}],
		"dependencies": [
			{"ref": "pkg:golang/example.org/a@v1.2.3%2Bincompatible", "dependsOn": ["pkg:golang/example.org/b@v2.0.0"]},
			{"ref": "pkg:golang/example.org/b@v2.0.0"},
			{"ref": "pkg:golang/example.org/main@v1.0.0", "dependsOn": ["pkg:golang/example.org/a@v1.2.3%2Bincompatible", "pkg:golang/example.org/b@v2.0.0"]},
			{"ref": "pkg:golang/std@1.26.8"}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %s", text)
	}
}
