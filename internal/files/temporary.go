package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/allot-opt/allot/internal/alive"
)

// prefix begins the name of a temporary file, which says whose it is: the machine, the process and when that began.
const prefix = ".allot-"

// temporaryName returns a name in the folder that nobody else uses.
func temporaryName(dir string) string {
	return filepath.Join(dir, fmt.Sprintf("%s%s-%d-%d-%016x", prefix, machine(), os.Getpid(), alive.Own(), rand.Uint64()))
}

// Beside is a name in the folder that nobody else uses, for a file that is to be there for a moment. If this program is killed meanwhile, the next one that writes in the
// folder removes the file.
func Beside(dir string) string { return temporaryName(dir) }

// Folder makes a folder of this program among the temporary files of the system, for its user alone. If this program is killed before it removes it, the next one that
// makes one does so.
func Folder() (string, error) {
	dir := os.TempDir()
	path := temporaryName(dir)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", err
	}
	if _, again := tidied.LoadOrStore(folders{dir}, nil); !again {
		removeFolders(dir)
	}
	return path, nil
}

// folders is the key among the tidied of a folder in which folders are made.
type folders struct{ dir string }

// removeFolders removes the folders that killed programs of this machine have left in a folder. What cannot be removed is left: it is another user's.
func removeFolders(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && entry.IsDir() && maker(entry.Name()) == ended {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}

// machine is a short name of this machine; where nothing tells it from others, it is none.
var machine = sync.OnceValue(func() string {
	name, _ := os.Hostname() // a host without a name is told by its boot
	if alive.Machine() == "" {
		return "unknown"
	}
	sum := sha256.Sum256([]byte(name + "\x00" + alive.Machine()))
	return fmt.Sprintf("%x", sum[:6])
})

// state is what is known of who made a temporary file.
type state int

const (
	unknown state = iota // on another machine, or by a version of allot whose files do not say
	lives
	ended
)

// maker says what is known of who made a temporary file.
func maker(name string) state {
	words := strings.Split(strings.TrimPrefix(name, prefix), "-")
	const all = 4
	if len(words) != all || words[0] != machine() || words[0] == "unknown" {
		return unknown
	}
	pid, wrong := strconv.Atoi(words[1])
	began, err := strconv.ParseInt(words[2], 10, 64)
	switch {
	case wrong != nil || err != nil || pid <= 0:
		return unknown
	case pid == os.Getpid() && began == alive.Own(), alive.Runs(pid, began):
		return lives
	}
	return ended
}

// RemoveTemporary removes the temporary files that killed programs have left in the folder, and those of which nothing is known: no program of another machine may be
// writing there. [Now] may be asked.
func RemoveTemporary(dir string) error {
	return removeTemporary(dir, func(_ os.DirEntry, by state) bool { return by != lives })
}

// tidied are the folders in which this program has removed what others have left.
var tidied sync.Map

// tidyOnce removes, when this program first makes a temporary file in a folder, those that killed programs have left: of this machine all, of others those that are
// a day old by the clock of the folder, which dated the new file. What cannot be removed is left: it is in nobody's way.
func tidyOnce(dir string, young *os.File) {
	if _, again := tidied.LoadOrStore(dir, nil); again {
		return
	}
	now, err := young.Stat()
	_ = removeTemporary(dir, func(entry os.DirEntry, by state) bool {
		info, unknowable := entry.Info()
		return by == ended || by == unknown && err == nil && unknowable == nil && now.ModTime().Sub(info.ModTime()) > 24*time.Hour
	})
}

// removeTemporary removes some of the temporary files of a folder.
func removeTemporary(dir string, some func(os.DirEntry, state) bool) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) && entry.Type().IsRegular() && some(entry, maker(entry.Name())) {
			err = errors.Join(err, remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}
