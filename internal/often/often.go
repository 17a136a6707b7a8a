// Package often checks properties on more cases than rapid draws.
package often

import (
	"flag"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// Check checks a property on that many times the usual number of random cases, all of them different: with a fixed seed each further call of [rapid.Check] would draw those of the first one
// again. Tests that run at the same time must not use it.
func Check(t *testing.T, times int, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks").Value
	usual := checks.String()
	n, err := strconv.Atoi(usual)
	if err != nil {
		t.Fatal(err)
	}
	if err := checks.Set(strconv.Itoa(times * n)); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := checks.Set(usual); err != nil {
			t.Error(err)
		}
	}()
	rapid.Check(t, property)
}
