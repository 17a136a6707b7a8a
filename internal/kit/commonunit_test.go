package kit

import "testing"

func TestCommonUnit(t *testing.T) {
	for _, c := range []struct {
		times []float64
		want  float64
	}{{nil, 0}, {[]float64{0, 0}, 0}, {[]float64{0, 6, 4}, 2}, {[]float64{900, 3600, 5400}, 900}, {[]float64{0.75, 0.5}, 0.25}, {[]float64{0.1, 0.3}, 0x1p-55}, {[]float64{1e18, 3}, 1}} {
		if got := CommonUnit(c.times); got != c.want {
			t.Errorf("%v: %v, expected %v", c.times, got, c.want)
		}
	}
}
