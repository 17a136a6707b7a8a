package main

import (
	"strings"
	"testing"
)

// A name that is too long for a file is cut, and two of them stay apart.
func TestSafeNameIsShort(t *testing.T) {
	long := strings.Repeat("é", 200)
	a, b := safeName(long+"a"), safeName(long+"b")
	if len(a) > 110 || a == b || a != strings.ToValidUTF8(a, "") {
		t.Errorf("%d bytes %q, %q", len(a), a, b)
	}
	if got := safeName("a/b\\c\nd%"); got != "a_b_c_d%" {
		t.Error(got)
	}
}
