package kit_test

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/kit"
)

func TestNumbersCountFromOne(t *testing.T) {
	numbers := kit.Numbers[string]{}
	if got := kit.Each([]string{"b", "", "a", "b", "c", "a"}, numbers.Of); !slices.Equal(got, []int32{1, 0, 2, 1, 3, 2}) {
		t.Error(got)
	}
}
