package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/alive"
	"github.com/allot-opt/allot/internal/race"
)

// writes names the folder in which the program of the test writes files until it is killed.
const writes = "ALLOT_TEST_WRITES"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writes); dir != "" {
		for {
			if err := errorOf(dir); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

// errorOf writes a file, puts another one into place and takes it away, and asks for the time.
func errorOf(dir string) error {
	text := strings.Repeat("whole", 100_000)
	err := Write(filepath.Join(dir, "file"), func(w io.Writer) error {
		_, err := io.WriteString(w, text+"\n")
		return err
	})
	if err != nil {
		return err
	}
	placed, err := Place(filepath.Join(dir, "lock"), []byte(`{"a":1}`))
	if err != nil {
		return err
	}
	if err := placed.Close(); err != nil {
		return err
	}
	if _, err := Now(dir); err != nil {
		return err
	}
	return os.Remove(filepath.Join(dir, "lock"))
}

// temporary are the temporary files of a folder.
func temporary(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// pid and began are a process and when it began, as the names of temporary files state them.
func pid(id int) string   { return strconv.Itoa(id) }
func began(id int) string { return strconv.FormatInt(alive.Began(id), 10) }

// A program that is killed at any moment leaves whole files, never an empty one in place, and what it has half-written is gone after the next one writes there. Those of
// programs that live stay.
func TestKilled(t *testing.T) {
	dir, left := t.TempDir(), 0
	living := exec.Command(os.Args[0])
	living.Env = append(os.Environ(), writes+"="+t.TempDir())
	if err := living.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = living.Wait() }()
	defer func() { _ = living.Process.Kill() }()
	for range race.Fewer(40, 10) {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), writes+"="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if _, err := os.Stat(filepath.Join(dir, "file")); err == nil {
				break
			}
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		_ = child.Process.Kill() // it writes until then
		_ = child.Wait()
		if text, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || len(text) != 500_001 || !bytes.HasSuffix(text, []byte("whole\n")) {
			t.Fatalf("%d bytes, %v", len(text), err)
		}
		if text, err := os.ReadFile(filepath.Join(dir, "lock")); err == nil && !json.Valid(text) {
			t.Fatalf("a lock of %q", text)
		}
		if err := remove(filepath.Join(dir, "lock")); err != nil {
			t.Fatal(err)
		}
		left += len(temporary(t, dir))
	}
	t.Logf("%d temporary files were there when programs had been killed", left)
	other := filepath.Join(dir, filepath.Base(strings.Replace(temporaryName(dir), machine(), "000000000000", 1)))
	lives := filepath.Join(dir, strings.Replace(filepath.Base(temporaryName(dir)), "-"+pid(os.Getpid())+"-", "-"+pid(living.Process.Pid)+"-", 1))
	lives = strings.Replace(lives, "-"+began(os.Getpid())+"-", "-"+began(living.Process.Pid)+"-", 1)
	dead := filepath.Join(dir, strings.Replace(filepath.Base(temporaryName(dir)), "-"+pid(os.Getpid())+"-", "-"+pid(1<<22+1)+"-", 1))
	for _, path := range []string{other, lives, dead} {
		if err := os.WriteFile(path, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tidied.Delete(dir)
	if err := Write(filepath.Join(dir, "file"), func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if found := temporary(t, dir); len(found) != 2 {
		t.Errorf("left are %q, expected those of a program that lives and of another machine", found)
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(other, old, old); err != nil {
		t.Fatal(err)
	}
	tidied.Delete(dir)
	if err := CheckWritable(filepath.Join(dir, "file")); err != nil {
		t.Fatal(err)
	}
	if found := temporary(t, dir); len(found) != 1 || found[0] != lives {
		t.Errorf("left are %q, expected that of the program that lives", found)
	}
	if err := RemoveTemporary(dir); err != nil {
		t.Fatal(err)
	}
	if found := temporary(t, dir); len(found) != 1 {
		t.Errorf("left are %q, expected that of the program that lives", found)
	}
}

// A folder of temporary files is for its user alone, and what a program that was killed has left of such folders is gone after the next one makes one. Those of programs that live
// and of other machines stay.
func TestFoldersOfKilledPrograms(t *testing.T) {
	system := t.TempDir()
	t.Setenv("TMPDIR", system)
	t.Setenv("TMP", system)
	name := func(pid, began string) string {
		return strings.Replace(filepath.Base(temporaryName(system)), fmt.Sprintf("-%d-%d-", os.Getpid(), alive.Own()), "-"+pid+"-"+began+"-", 1)
	}
	parent := os.Getppid()
	dead, living, other := name(pid(1<<22+1), "1"), name(pid(parent), began(parent)), strings.Replace(name(pid(1<<22+1), "1"), machine(), "000000000000", 1)
	for _, folder := range []string{dead, living, other, "else"} {
		if err := os.MkdirAll(filepath.Join(system, folder, "inner"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	made, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(made)
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 || filepath.Dir(made) != system {
		t.Errorf("%s: %v, %v", made, info, err)
	}
	entries, err := os.ReadDir(system)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	want := []string{filepath.Base(made), living, other, "else"}
	if slices.Sort(want); !slices.Equal(left, want) {
		t.Errorf("left are %q, expected %q", left, want)
	}
}
