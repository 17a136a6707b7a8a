package slurm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model/budget"
)

// fewNames is a budget of 300,000 names.
func fewNames() *budget.Budget {
	limits := budget.Usual()
	limits.Names = 300_000
	return budget.New(context.Background(), limits, nil)
}

func TestExpandHosts(t *testing.T) {
	for list, want := range map[string]string{
		"":                        "",
		"cn1":                     "cn1",
		"cn[001-003,052]":         "cn001 cn002 cn003 cn052",
		"cn[8-11]":                "cn8 cn9 cn10 cn11",
		"cn[08-11],login, gpu[1]": "cn08 cn09 cn10 cn11 login gpu1",
		"r[1-2]n[1-2]x":           "r1n1x r1n2x r2n1x r2n2x",
		"n[5]":                    "n5",
		"a-b.c_1":                 "a-b.c_1",
	} {
		got, err := expandHosts(list, fewNames())
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, %v", list, got, err)
		}
	}
	for list, want := range map[string]string{
		"n[":                              "expected a ] at the end of",
		"n]":                              "expected a list of nodes such as cn[001-050,052]",
		"n[]":                             "expected numbers and ranges such as 001-050",
		"n[2-1]":                          "expected numbers and ranges such as 001-050",
		"n[a]":                            "expected numbers and ranges such as 001-050",
		"n[1-2-3]":                        "expected numbers and ranges such as 001-050",
		"n[0000000001]":                   "expected numbers and ranges such as 001-050",
		"n[-1]":                           "expected numbers and ranges such as 001-050",
		"n[1-300001]":                     "expected at most 300,000 names",
		"n[1-300000],m[1]":                "expected at most 300,000 names",
		"n[0-999999999]":                  "expected at most 300,000 names",
		"n[1-1000][1-1000]":               "expected at most 300,000 names",
		strings.Repeat("x", 300) + "[1]":  "expected names of nodes of at most 255 bytes",
		strings.Repeat("[1-2]x", 10_000):  "expected at most 300,000 names",
		strings.Repeat("n[1-9999],", 100): "expected at most 300,000 names",
	} {
		if got, err := expandHosts(list, fewNames()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %d names, %v", list, len(got), err)
		}
	}
}

// TestCompressHosts: what is written for people stands for the same names, and is short.
func TestCompressHosts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		for range rapid.IntRange(0, 8).Draw(t, "runs") {
			prefix := rapid.SampledFrom([]string{"cn", "r1n", "login", "x-"}).Draw(t, "prefix")
			first, n := rapid.IntRange(0, 110).Draw(t, "first"), rapid.IntRange(0, 5).Draw(t, "length")
			for k := range n {
				names = append(names, fmt.Sprintf("%s%0*d", prefix, rapid.SampledFrom([]int{0, 3}).Draw(t, "width"), first+k))
			}
			if n == 0 {
				names = append(names, prefix)
			}
		}
		text := compressHosts(names)
		again, err := expandHosts(text, fewNames())
		if err != nil || !slices.Equal(again, names) {
			t.Fatalf("%q: written %s, read %q, %v", names, text, again, err)
		}
	})
	if got := compressHosts([]string{"a1", "a2", "a3", "a5", "b", "c09", "c10"}); got != "a[1-3,5],b,c[09-10]" {
		t.Errorf("got %s", got)
	}
}

func TestArrayTasks(t *testing.T) {
	for text, want := range map[string]string{
		"0-3": "[0 1 2 3] 0 false", "7": "[7] 0 false", "1-3%0": "[1 2 3] 0 false", "1,3-5%2": "[1 3 4 5] 2 false", "0-8:4": "[0 4 8] 0 false", "1-498:166%3": "[1 167 333] 3 false",
		"5,1,1": "[1 5] 0 false", "1-3,10...": "[1 2 3] 0 true", "1-3,...": "[1 2 3] 0 true", "...": "[] 0 true", "0x5": "[0 2] 0 false", "0x1F%1": "[0 1 2 3 4] 1 false", "[1-2]": "[1 2] 0 false",
	} {
		tasks, atOnce, cut, err := arrayTasks(text, fewNames())
		if got := fmt.Sprint(tasks, atOnce, cut); got != want || err != nil {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"a", "1-", "-1", "3-1", "1-5:0", "1%x", "0xG", "0-300000", "0-2147483647", "1.5", "0-299999,2000", "0x" + strings.Repeat("F", 75_001)} {
		if tasks, _, _, err := arrayTasks(text, fewNames()); err == nil {
			t.Errorf("%s: got %v", text, tasks)
		}
	}
}
