package main

import (
	"debug/buildinfo"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// The parts of a CycloneDX document, version 1.6, that a list of the modules in a program needs.
type (
	sbom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		URL        string     `json:"purl"`
		Properties []property `json:"properties,omitempty"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref string   `json:"ref"`
		On  []string `json:"dependsOn,omitempty"`
	}
)

// bill lists the modules that are in a program, by what the Go tool has stamped into it, and which requires which, by the graph that go mod graph
// writes. The time is that of the commit, so the same commit and compiler give the same bytes.
func bill(info *buildinfo.BuildInfo, graph string, when time.Time) ([]byte, error) {
	refs := map[string]string{} // of the modules in the program, by path
	part := func(kind, path, version, sum string) component {
		url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
		refs[path] = url
		c := component{Type: kind, Ref: url, Name: path, Version: version, URL: url}
		if sum != "" {
			c.Properties = []property{{"allot:go.sum", sum}}
		}
		return c
	}
	document := sbom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{when.UTC().Format(time.RFC3339), part("application", info.Main.Path, info.Main.Version, "")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		document.Components = append(document.Components, part("library", m.Path, m.Version, m.Sum))
	}
	document.Components = append(document.Components, part("library", "std", strings.TrimPrefix(info.GoVersion, "go"), ""))
	needs := map[string][]string{}
	for line := range strings.Lines(graph) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " ")
		of, _, _ := strings.Cut(from, "@")
		on, _, _ := strings.Cut(to, "@")
		if refs[of] != "" && refs[on] != "" && !slices.Contains(needs[refs[of]], refs[on]) {
			needs[refs[of]] = append(needs[refs[of]], refs[on])
		}
	}
	for _, ref := range slices.Sorted(maps.Values(refs)) {
		slices.Sort(needs[ref])
		document.Dependencies = append(document.Dependencies, dependency{ref, needs[ref]})
	}
	text, err := json.MarshalIndent(document, "", " ")
	return append(text, '\n'), err
}
