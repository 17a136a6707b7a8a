package solve

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
)

// Version returns the version of allot in this program: the module's version, if the program was built from one. A build from sources without a
// version, or from changed sources, also shows a few digits that tell it from all others. Rows and solutions of two different builds thus never
// seem to come from the same program.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown" + executable()
	}
	version := versionOf(info)
	if version == "" || version == "(devel)" {
		version = "devel"
	}
	if version == "devel" || strings.HasSuffix(version, "+dirty") {
		version += executable()
	}
	return version
})

// path is the module's path.
const path = "github.com/allot-opt/allot"

// versionOf returns the module's version. The module may be the program's own or a dependency.
func versionOf(info *debug.BuildInfo) string {
	if info.Main.Path == path {
		return info.Main.Version
	}
	for _, dependency := range info.Deps {
		if dependency.Path != path {
			continue
		}
		if dependency.Replace != nil {
			return dependency.Replace.Version
		}
		return dependency.Version
	}
	return ""
}

// Revision is the commit that a program was built from, as the Go tool records it.
type Revision struct {
	Commit   string // empty: not recorded
	Time     string // of the commit
	Modified bool   // the sources were changed since
}

// RevisionOf returns the revision of allot that the build information states. It is empty in a program of another module, because such a program
// records the commit of its own module.
func RevisionOf(info *debug.BuildInfo) (r Revision) {
	if info.Main.Path != path {
		return r
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			r.Commit = setting.Value
		case "vcs.time":
			r.Time = setting.Value
		case "vcs.modified":
			r.Modified = setting.Value == "true"
		}
	}
	return r
}

// executable returns the first digits of a SHA-256 that tells the program's executable from others, formatted to follow a version: that of the build ID that the Go tool
// has written into it, which is made of hashes of all that the program consists of; where there is none, that of the executable, which takes some 30 ms. It is empty if
// the file cannot be read.
func executable() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	begin := make([]byte, beginning)
	n, err := io.ReadFull(file, begin)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	if id := buildID(begin[:n]); id != nil {
		sum.Write(id)
	} else if _, err := io.Copy(sum, io.MultiReader(bytes.NewReader(begin[:n]), file)); err != nil {
		return ""
	}
	return fmt.Sprintf("-exe.%x", sum.Sum(nil)[:6])
}

// beginning is where the Go tool writes the build ID: so many bytes from the begin of a file.
const beginning = 32 << 10

// ids find a build ID: in a note of ELF, and in the text of the formats of macOS and Windows. It is four hashes of 20 characters; what -ldflags=-buildid= sets in its place
// is none.
var ids = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\x04\x00\x00\x00Go\x00\x00|Go build ID: ")([-\w]{20}(?:/[-\w]{20}){3})(?:[^-/\w]|$)`)
})

// buildID is the build ID in the first bytes of an executable; nil: there is none.
func buildID(begin []byte) []byte {
	if found := ids().FindSubmatch(begin); found != nil {
		return found[1]
	}
	return nil
}
