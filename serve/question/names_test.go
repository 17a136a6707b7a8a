package question

import (
	"fmt"
	"testing"
)

// Parameters are told to a solver in the order of their names, each as a person would write it.
func TestParametersAsTexts(t *testing.T) {
	given := Parameters{"f": 1e21, "d": false, "a": "x=1", "e": 1e6, "c": 0.25, "b": true}
	for range 20 { // a map has another order each time
		if got, want := Stated("s", given), "s:a=x=1:b=true:c=0.25:d=false:e=1000000:f=1000000000000000000000"; got != want {
			t.Fatalf("%s, expected %s", got, want)
		}
	}
	for _, value := range []any{nil, []any{1.0}, map[string]any{}} {
		if _, wrong, err := (Parameters{"good": "1", "bad": value}).Settings(); wrong != "bad" || fmt.Sprint(err) != fmt.Sprintf("expected a text, a number, true or false, found %v", value) {
			t.Errorf("%v: %q, %v", value, wrong, err)
		}
	}
}
