package params_test

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/params"
)

// Settings keeps the order and takes what stands behind the first = as the value.
func TestSettings(t *testing.T) {
	found, err := params.Settings([]string{"b=1", "a=", "c=x=y"})
	if want := []params.Setting{{Name: "b", Value: "1"}, {Name: "a"}, {Name: "c", Value: "x=y"}}; err != nil || !slices.Equal(found, want) {
		t.Errorf("%v, error %v", found, err)
	}
	for text, want := range map[string]string{
		"":      `expected PARAM=VALUE behind each colon, found ""`,
		"alone": `expected PARAM=VALUE behind each colon, found "alone"`,
		"=1":    `expected PARAM=VALUE behind each colon, found "=1"`,
		"a=2":   "expected parameter a once, found it twice",
	} {
		if _, err := params.Settings([]string{"a=1", text}); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, expected %q", text, err, want)
		}
	}
}
