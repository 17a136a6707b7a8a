package solve

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Version returns the version of allot in this program: the module's version, if the program was built from one. A build from sources without a
// version, or from changed sources, also shows the first digits of the SHA-256 of its executable. Rows and solutions of two different builds thus
// never seem to come from the same program.
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

// executable returns the first digits of the SHA-256 of the program's executable, formatted to follow a version. It is empty if the file cannot be read.
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
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return fmt.Sprintf("-exe.%x", sum.Sum(nil)[:6])
}
