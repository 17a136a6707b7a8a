package suggest_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/suggest"
)

// A slip of one or two letters finds the right name; a known name is none.
func TestSlip(t *testing.T) {
	known := []string{"SchedulerType", "SchedulerParameters", "PreemptType"}
	for found, want := range map[string]string{
		"schedulerparamters": "SchedulerParameters", "schedulertyep": "SchedulerType", "schedulertype": "", "SchedulerPort": "", "PreemptMode": "", "": "", strings.Repeat("x", 100): "",
	} {
		if got := suggest.Slip(found, known); got != want {
			t.Errorf("%q: got %q, want %q", found, got, want)
		}
	}
}

// A mistyped name finds the right one; a different word, or an empty one, finds nothing.
func TestWords(t *testing.T) {
	known := []string{"fcfs", "fcfs-list", "search", "minmin", "maxmin", "muscle", "mct", "met", "swf", ""}
	for found, want := range map[string]string{
		"serch": "search", "saerch": "search", "minimin": "minmin", "fcsf": "fcfs", "musle": "muscle", "searchh": "search", "SEARCH": "search", "fcsf-list": "fcfs-list", "mtc": "mct", "sfw": "swf",
		"": "", "x": "", "ct": "", "wsm": "", "genetic": "", "größe": "", strings.Repeat("search", 100): "",
	} {
		words := ""
		if want != "" {
			words = `; did you mean "` + want + `"?`
		}
		if got := suggest.Words(found, known); got != words {
			t.Errorf("%q: got %q, want %q", found, got, words)
		}
	}
}
