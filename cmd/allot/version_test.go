package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// What the Go tool records is stated; what it does not is not guessed.
func TestVersion(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Path: "github.com/allot-opt/allot"}, Settings: []debug.BuildSetting{
		{Key: "-tags", Value: "highs,other"}, {Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	text := buildOf(info, true).text()
	for _, want := range []string{"commit: 0123abcd of 2026-01-02T03:04:05Z, with changes\n", "build tags: highs,other\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("expected %q in\n%s", want, text)
		}
	}
	text = buildOf(nil, false).text()
	if !strings.Contains(text, "commit: not recorded\n") || !strings.Contains(text, "build tags: none\n") {
		t.Errorf("found\n%s", text)
	}
}
