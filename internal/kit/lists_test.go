package kit_test

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/internal/kit"
)

func TestLists(t *testing.T) {
	list := []int{3, 1, 4, 1}
	if got, want := kit.Each(list, strconv.Itoa), []string{"3", "1", "4", "1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("Each: expected %q, found %q", want, got)
	}
	if got, want := kit.That(list, func(x int) bool { return x > 1 }), []int{3, 4}; !reflect.DeepEqual(got, want) {
		t.Errorf("That: expected %v, found %v", want, got)
	}
	if kit.Each([]int{}, strconv.Itoa) != nil || kit.That(list, func(int) bool { return false }) != nil {
		t.Error("expected nil where there is nothing to return")
	}
}
