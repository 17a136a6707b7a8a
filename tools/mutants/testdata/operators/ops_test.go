package ops

import "testing"

func TestLeast(t *testing.T) {
	if Least([]int{3, 2, 5}) != 2 || Least(nil) != 100 {
		t.Fail()
	}
}

func TestSteps(t *testing.T) {
	if Steps(3) != 6 {
		t.Fail()
	}
}

func TestSum(t *testing.T) {
	if Sum(1, 2.5) != 3 || Sum(1, -2) != 1 {
		t.Fail()
	}
}

func TestInside(t *testing.T) {
	if !Inside(2, 2, 2) || Inside(1, 2, 2) || Inside(3, 2, 2) || Inside(300, 2, 301) {
		t.Fail()
	}
}

func TestThatFails(t *testing.T) { t.Fail() }
