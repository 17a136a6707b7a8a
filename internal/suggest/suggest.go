// Package suggest finds the name that a user may have meant when he mistyped one.
package suggest

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// longest is the largest length of a name that is compared. It limits the time, which grows with the product of the lengths.
const longest = 64

// Words returns the end of a message, such as `; did you mean "search"?`, with the known name that is most similar to the one found. It is empty
// if none is similar.
func Words(found string, known []string) string {
	best := Name(found, known)
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// Name returns the known name that is most similar to the one found, without regard to capitals. It is empty if none
// is similar.
func Name(found string, known []string) string {
	const alike, prefix, boost = 0.85, 4, 0.7 // similarity by Jaro and Winkler, which counts a common prefix of four letters more
	best, most := "", alike
	for _, name := range known {
		if found == "" || name == "" || len(found) > longest || len(name) > longest {
			continue
		}
		if swapped(strings.ToLower(found), strings.ToLower(name)) {
			return name
		}
		if s := smetrics.JaroWinkler(strings.ToLower(found), strings.ToLower(name), boost, prefix); s > most {
			best, most = name, s
		}
	}
	return best
}

// Slip returns the known name that differs by at most two letters from the one found, without regard to capitals. It is empty if there is none, or if the name is known.
func Slip(found string, known []string) string {
	const most = 2
	best, least := "", most+1
	for _, name := range known {
		if len(found) > longest || len(name) > longest {
			continue
		}
		if d := smetrics.WagnerFischer(strings.ToLower(found), strings.ToLower(name), 1, 1, 1); d < least {
			best, least = name, d
		}
	}
	if least == 0 {
		return ""
	}
	return best
}

// swapped says that a is b but for two neighbouring letters in the wrong order, the usual slip, which the measure does not forgive in words of three
// letters.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for k := 1; k < len(a); k++ {
		if a[k-1] != b[k-1] {
			return a[k-1] == b[k] && a[k] == b[k-1] && a[k+1:] == b[k+1:]
		}
	}
	return false
}
