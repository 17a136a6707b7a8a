package numtext

import (
	"math"
	"testing"
)

func TestFigure(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 12: "12", -3: "-3", 999999999999: "999999999999", 1e12: "1.00000e+12", 0.5: "0.500000", 123.456789: "123.457", 1234567.5: "1234568",
		0.00012345678: "0.000123", 0.00001: "1.00000e-05", math.Inf(1): "+Inf",
	} {
		if got := Figure(x); got != want {
			t.Errorf("%v is %q, expected %q", x, got, want)
		}
	}
}

func TestSignificant(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 60: "60", 2.75: "2.75", 242.0984: "242.098", 1234.5: "1234.5", 12345.678: "12,345.7", 49152: "49,152",
		1234567: "1,234,567", 1e15: "1e+15", 1e-9: "1e-09", -12345: "-12,345", 0.1 + 0.2: "0.3", 999999.96: "1,000,000",
		math.Inf(1): "+Inf",
	} {
		if got := Significant(x, 6); got != want {
			t.Errorf("%v is %q, expected %q", x, got, want)
		}
	}
	if got := Significant(math.Copysign(0, -1), 6); got != "0" {
		t.Errorf("-0 is %q", got)
	}
}

func TestCounted(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Counted(0, "job"), "0 jobs"}, {Counted(1, "job"), "1 job"}, {Counted(12345, "job"), "12345 jobs"},
		{Counted(1, "class", "classes"), "1 class"}, {Counted(2, "class", "classes"), "2 classes"},
		{CountedGrouped(1, "job"), "1 job"}, {CountedGrouped(1234, "job"), "1234 jobs"}, {CountedGrouped(12345, "job"), "12,345 jobs"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, expected %q", c.got, c.want)
		}
	}
}
