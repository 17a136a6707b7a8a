package each_test

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/internal/each"
)

func TestLists(t *testing.T) {
	list := []int{3, 1, 4, 1}
	if got, want := each.Of(list, strconv.Itoa), []string{"3", "1", "4", "1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Of: expected %q, found %q", want, got)
	}
	if got, want := each.That(list, func(x int) bool { return x > 1 }), []int{3, 4}; !reflect.DeepEqual(got, want) {
		t.Errorf("That: expected %v, found %v", want, got)
	}
	if each.Of([]int{}, strconv.Itoa) != nil || each.That(list, func(int) bool { return false }) != nil {
		t.Error("expected nil where there is nothing to return")
	}
}
