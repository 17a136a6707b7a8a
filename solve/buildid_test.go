package solve

import (
	"strings"
	"testing"
)

// The build ID is found where the Go tool writes it, in the files of all systems. What is no hash of the program tells nothing apart, so it is none.
func TestBuildID(t *testing.T) {
	id := "rC-inYraoJm1ZHsOklPf/NjHmv2Vdhj4YummCotlD/jdE0pdmOG7nUk2foAB9P/qsSnqbXXIh2a2JttiHAz"
	for begin, want := range map[string]string{
		"\x7fELF\xff\x04\x00\x00\x00\x53\x00\x00\x00\x04\x00\x00\x00Go\x00\x00" + id + "\x00\xfe": id,
		"MZ\x90\x00\xff Go build ID: \"" + id + "\"\n \xff":                                       id,
		"MZ\x90\x00\xff Go build ID: \"mine\"\n \xff":                                             "",
		"MZ\x90\x00\xff Go build ID: \"" + id + "/more\"\n \xff":                                  "",
		strings.Repeat("\x00", 100):                                                               "",
	} {
		if found := buildID([]byte(begin)); string(found) != want {
			t.Errorf("%q: found %q", begin, found)
		}
	}
}
