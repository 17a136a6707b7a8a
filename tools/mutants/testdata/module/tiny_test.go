package tiny

import "testing"

func TestSum(t *testing.T) {
	if Sum([]int{1, 2, 3}) != 6 {
		t.Fail()
	}
}

func TestLeast(t *testing.T) {
	t.Run("of two", func(t *testing.T) {
		if Least([]int{3, 2}) != 2 {
			t.Fail()
		}
	})
}

func TestSteps(t *testing.T) {
	if Steps(3) != 3 {
		t.Fail()
	}
}

func TestThatFails(t *testing.T) { t.Fail() }
