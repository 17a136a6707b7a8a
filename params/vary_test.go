package params_test

import (
	"testing"

	"github.com/allot-opt/allot/params"
)

func TestVaryText(t *testing.T) {
	for _, text := range []string{"[1, 256]", "[1, 256] log", "[60, 3600] log step 60", "[0, 10] step 0.5"} {
		var v params.Vary
		if err := v.UnmarshalText([]byte(text)); err != nil || v.String() != text {
			t.Errorf("%s: got %s, %v", text, v.String(), err)
		}
	}
	for _, text := range []string{"", "[1, 2", "(1, 2]", "[1, inf)", "[0, 2] log", "[1, 2] step", "[1, 2] step x", "[1, 2] step 0", "[1, 2] step -1", "[30, 90] step 60", "[1, 2] step 1 log"} {
		var v params.Vary
		if err := v.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %s, expected an error", text, v.String())
		}
	}
}
