package model_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

func TestParseProcessorSet(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0-3": "0-3", "0-3,7": "0-3,7", "7,0-3": "0-3,7", "0,1,2": "0-2", "3-3": "3", "007": "7", "2147483647": "2147483647",
		"0-2147483647": "0-2147483647", "5-6,1-2,3-4": "1-6",
	} {
		if set, err := model.ParseProcessorSet(text); err != nil || set.String() != want {
			t.Errorf("%q: got %q, %v, want %q", text, set, err, want)
		}
	}
	for _, text := range []string{"", ",", "0,", ",0", "-1", "1-", "-", "1-2-3", "3-0", "+1", " 1", "1 ", "0 - 3", "1.0", "1e3", "0x1", "٣", "2147483648", "99999999999999999999", "a", "0;1", "0,0", "0-3,3-5", "1,0-4"} {
		if set, err := model.ParseProcessorSet(text); err == nil {
			t.Errorf("%q: got %q", text, set)
		}
	}
	if _, err := model.ParseProcessorSet(strings.Repeat("x", 500)); len(err.Error()) > 150 {
		t.Errorf("a long message: %v", err)
	}
}

func TestProcessorSetIsWhatItWasMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.IntRange(0, 40), 1, 20, rapid.ID).Draw(t, "ids")
		set := model.Processors(ids...)
		slices.Sort(ids)
		var members []int
		for k, r := range set {
			if k > 0 && r.First <= set[k-1].Last+1 {
				t.Fatalf("runs %v touch", set)
			}
			for p := r.First; p <= r.Last; p++ {
				members = append(members, p)
			}
		}
		if !slices.Equal(members, ids) || set.Len() != len(ids) || set.Min() != ids[0] || set.Max() != ids[len(ids)-1] {
			t.Fatalf("%v of %v", set, ids)
		}
		again, err := model.ParseProcessorSet(set.String())
		if err != nil || !slices.Equal(again, set) {
			t.Fatalf("%v became %v, %v", set, again, err)
		}
		runs := slices.Clone(set)
		slices.Reverse(runs)
		if other := model.NewProcessorSet(append(runs, set...)...); !slices.Equal(other, set) {
			t.Fatalf("%v twice and backwards became %v", set, other)
		}
	})
}
