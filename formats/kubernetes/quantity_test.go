package kubernetes

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/formats/lines"
)

// Each suffix is a factor, written out here as a fraction, and an amount is rounded up to whole units, or thousandths of them.
func TestQuantities(t *testing.T) {
	factors := map[string]string{
		"n": "1/1000000000", "u": "1/1000000", "m": "1/1000", "": "1", "k": "1000", "M": "1000000", "G": "1000000000", "T": "1000000000000", "P": "1000000000000000", "E": "1000000000000000000",
		"Ki": "1024", "Mi": "1048576", "Gi": "1073741824", "Ti": "1099511627776", "Pi": "1125899906842624", "Ei": "1152921504606846976",
		"e0": "1", "e3": "1000", "E-2": "1/100", "e+1": "10", "e-09": "1/1000000000",
	}
	fraction := func(text string) *big.Rat {
		x, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatal(text)
		}
		return x
	}
	r := rand.New(rand.NewPCG(57, 3))
	for suffix, factor := range factors {
		for k := range 200 {
			number := fmt.Sprintf("%d", r.IntN(3))
			switch {
			case k%4 == 1:
				number = fmt.Sprintf("%d.%0*d", r.IntN(2000), 1+r.IntN(9), r.IntN(10))
			case k%4 == 2:
				number = fmt.Sprintf(".%d", 1+r.IntN(99999))
			case k%4 == 3:
				number = fmt.Sprintf("+%d.", r.IntN(1<<30))
			}
			exact := new(big.Rat).Mul(fraction("0"+strings.Trim(number, "+")+"0"), fraction(factor))
			if !strings.Contains(number, ".") {
				exact.Mul(fraction(number), fraction(factor))
			}
			for _, milli := range []bool{false, true} {
				units := new(big.Rat).Set(exact)
				if milli {
					units.Mul(units, fraction("1000"))
				}
				got, ok := parseQuantity(number+suffix, milli)
				n := new(big.Rat).SetInt64(got)
				less := new(big.Rat).Sub(n, fraction("1"))
				switch most := fraction("1152921504606846976"); {
				case !ok:
					t.Fatalf("%s%s is refused", number, suffix)
				case units.Cmp(most) > 0:
					if n.Cmp(most) <= 0 {
						t.Errorf("%s%s is %d, and not said to be too large", number, suffix, got)
					}
				case n.Cmp(units) < 0 || less.Cmp(units) >= 0:
					t.Errorf("%s%s is %d (thousandths: %v), want %s rounded up", number, suffix, got, milli, units.FloatString(9))
				}
			}
		}
	}
	for _, wrong := range []string{"", ".", "+", "-", "K", "mi", "1 k", "1kk", "1e", "1e1.5", "1e100", "1-2", "--1", "1.2.3", "0x1", "1_0", "∞", "NaN", "1e3k", strings.Repeat("1", 65)} {
		if n, ok := parseQuantity(wrong, false); ok {
			t.Errorf("%q is read as %d", wrong, n)
		}
	}
	if n, ok := parseQuantity("-1e-9", false); !ok || n >= 0 {
		t.Errorf("less than 0 is read as %d, %v", n, ok)
	}
}

// Runs of the same work have the same name without the two last parts that are drawn or counted.
func TestFamilies(t *testing.T) {
	for name, want := range map[string]string{
		"train": "train", "train-7": "train", "train-7-8": "train", "train-6-7-8": "train-6", "train-x1": "train-x1", "train-bcdf5": "train", "train-bcdf": "train-bcdf", "train-bcda5": "train-bcda5", "-7": "-7", "a-": "a", "a-b-7": "a-b",
	} {
		if got := family(name); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}

// The values of an object of YAML are bounded before they are read: by its lines, and by what may begin one.
func TestManyValuesOfYAML(t *testing.T) {
	for text, large := range map[string]bool{"\n": true, ",": true, ":": true, "-": true, "[": true, "{": true, "?": true, "x": false} {
		y, c := &yamlText{d: &document{faults: lines.NewFaults("f")}}, new(chunk)
		for range 401 {
			for line := range strings.Lines(strings.Repeat(text, 1000)) {
				y.add(c, []byte(strings.Trim(line, "\n")), 1)
			}
		}
		if got := y.d.faults.Err() != nil; got != large {
			t.Errorf("%q: %v", text, y.d.faults.Err())
		}
	}
}

// A run time is a number of seconds, a text of hours, minutes and seconds, or a number of days.
func TestRunTimes(t *testing.T) {
	for text, want := range map[string]float64{
		"0": 0, "90": 90, "1.5": 1.5, "0s": 0, "90s": 90, "1h30m": 5400, "1.5h": 5400, "100ms": 0.1, "0d": 0, "2d": 172_800, "0.5d": 43_200, "999999999d": 999_999_999 * 86_400,
		"": -1, "d": -1, "x": -1, "2 d": -1, "xd": -1, "-1": -1, "-1s": -1, "-1d": -1, "NaNd": -1, "infd": -1, "1000000000d": -1, "1d2h": -1, "1e999": -1, "2dd": -1,
	} {
		if got, ok := runTime(text); ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
}
