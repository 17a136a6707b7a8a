package swf

import (
	"maps"
	"strings"
	"testing"
)

func TestReadUsage(t *testing.T) {
	text := `; MaxProcs: 8
1 0 -1 60 2 -1 1024 4 100 4096 1 1 1 7 1 1 -1 -1
2 0 -1 60 -1 -1 -1 4 100 1024 1 1 1 -1 1 1 -1 -1
3 0 -1 60 2
4 0 -1 60 2 -1 x 4 100 4096 1 1 1 7 1 1 -1 -1
5 0 -1 60 1 -1 -1 1 100 -1 1 1 1 1 1 1 -1 -1
5 9 -1 60 1 -1 -1 1 100 -1 1 1 1 2 1 1 -1 -1
`
	got, err := ReadUsage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]Usage{
		"1": {Name: "7", Memory: 8, Used: 2}, "2": {Memory: 4, Used: -1}, "3": {Memory: -1, Used: -1}, "4": {Name: "7", Memory: 8, Used: -1},
	}
	if !maps.Equal(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
}

// FuzzUsage: whatever the text, figures are known or −1.
func FuzzUsage(f *testing.F) {
	f.Add("1 0 -1 60 2 -1 1024 4 100 4096 1 1 1 7 1 1 -1 -1\n")
	f.Fuzz(func(t *testing.T, text string) {
		usage, _ := ReadUsage(strings.NewReader(text))
		for id, u := range usage {
			if !(u.Memory >= 0 || u.Memory == -1) || !(u.Used >= 0 || u.Used == -1) {
				t.Errorf("%q: %+v", id, u)
			}
		}
	})
}
