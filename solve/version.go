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

// Version is the version of allot in the program: that of its module where the program was built from one. A build from sources
// that no version names, or that were changed since, is told from others by the SHA-256 of its executable: rows and solutions of two such
// programs are not taken for those of one.
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

// path is that of the module.
const path = "github.com/allot-opt/allot"

// versionOf is the version of the module, which may be the program's own or one that it was built with.
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

// executable is the begin of the SHA-256 of the program's executable, as it stands behind a version; empty where it cannot be read.
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
