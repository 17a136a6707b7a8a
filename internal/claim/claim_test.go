package claim

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/alive"
	"github.com/allot-opt/allot/internal/files"
)

// foreign writes the claim of a program on another host, without a sign for a while.
func foreign(t *testing.T, path string, silent time.Duration, beat float64) {
	t.Helper()
	text, err := json.Marshal(Holder{Token: "other", Host: "elsewhere", Machine: "another boot", PID: os.Getpid(), Beat: beat})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-silent)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// free checks that a claim can be taken, or that it cannot.
func free(t *testing.T, what, path string, stale time.Duration, want bool) {
	t.Helper()
	c, err := Try(path, "", stale)
	var held *HeldError
	if want != (err == nil) || !want && !errors.As(err, &held) {
		t.Errorf("%s: %v, expected that it is free: %v", what, err, want)
	}
	if err == nil {
		if !c.Held() {
			t.Errorf("%s: it was taken but is not held", what)
		}
		if err := c.Release(); err != nil {
			t.Error(err)
		}
	}
}

// A claim is one program's until that gives it up. Its file is gone then.
func TestOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	c, err := Try(path, "the note", 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Try(path, "", 0)
	if held := new(HeldError); !errors.As(err, &held) || held.By.PID != os.Getpid() || held.By.Note != "the note" || held.By.Host == "" {
		t.Errorf("%v, expected who holds it", err)
	}
	if by, live := Live(path, 0); !live || by.Note != "the note" {
		t.Errorf("live: %v, %+v", live, by)
	}
	if _, err := Take(t.Context(), path, "", 0, nil); !errors.As(err, new(*HeldError)) {
		t.Errorf("on this host there is nothing to wait for: %v", err)
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if _, live := Live(path, 0); live {
		t.Error("it is live without a holder")
	}
	free(t, "released", path, 0, true)
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 0 {
		t.Errorf("files are left: %v, %v", entries, err)
	}
}

// A program of this host that was killed holds nothing, whether its parent has noticed or not. One that lives keeps its claim, silent or not.
func TestProgramOfThisHost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no program sleep")
	}
	path := filepath.Join(t.TempDir(), "x")
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	write := func() {
		t.Helper()
		by := self("", time.Second)
		by.PID, by.Started = child.Process.Pid, alive.Began(child.Process.Pid)
		text, err := json.Marshal(by)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	write()
	free(t, "it lives, as if it was suspended", path, time.Second, false)
	before, err := look(path)
	if err != nil {
		t.Fatal(err)
	}
	before.by.Started -= 3_600_000
	if before.by.runs() {
		t.Error("another process has the id now, but the holder is said to run")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	before.by.Started += 3_600_000
	for deadline := time.Now().Add(10 * time.Second); before.by.runs() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	free(t, "killed, and not waited for", path, time.Hour, true)
	_ = child.Wait() // it was killed
	write()
	free(t, "killed", path, time.Hour, true)
}

// A container that is started again has the process id, and often the number of its space of ids, of the one before, a moment later: what that held is free.
func TestProgramOfTheSameID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	c, err := Try(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	before := self("", time.Second)
	before.Token = "0123456789abcdef-1"
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	other := path + ".other"
	if err := os.WriteFile(other, text, 0o666); err != nil {
		t.Fatal(err)
	}
	free(t, "of an earlier program", other, 0, true)
	free(t, "of this program", path, 0, false)
	if err := c.Release(); err != nil {
		t.Error(err)
	}
}

// A claim that another program put back in its place, after its holder had released it, is free again for the holder.
func TestReleasedWhileItWasAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	c, err := Try(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".aside"); err != nil {
		t.Fatal(err)
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".aside", path); err != nil {
		t.Fatal(err)
	}
	free(t, "put back after its end", path, 0, true)
}

// What another host holds is its own as long as it gives signs.
func TestProgramOfAnotherHost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, test := range []struct {
		what   string
		silent time.Duration
		beat   float64
		want   bool
	}{
		{"it was silent for less than two minutes", 100 * time.Second, 0.1, false},
		{"it was silent for longer", 130 * time.Second, 0.1, true},
		{"it gives signs seldom", 130 * time.Second, 60, false},
		{"it gave none at three times of its own", 190 * time.Second, 60, true},
		{"the clock was set back by little since", -100 * time.Second, 0.1, false},
		{"the clock was set back by much since", -time.Hour, 0.1, true},
	} {
		foreign(t, path, test.silent, test.beat)
		free(t, test.what, path, 0, test.want)
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	free(t, "nothing is known of it yet", path, 0, false)
	old := time.Now().Add(-writing - time.Second) // not for as long as a holder may be silent
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	free(t, "its holder was killed while it made it", path, 0, true)
}

// A holder gives signs. One that has lost its claim is told so, gives no signs in the name of the new holder and leaves its file alone.
func TestLostClaim(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	c, err := Try(path, "", 80*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < time.Minute {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it gives no sign")
		}
	}
	if err := os.Rename(path, path+".aside"); err != nil {
		t.Fatal(err)
	}
	foreign(t, path, time.Hour, 0.1)
	if c.Held() {
		t.Error("it does not know that another program holds the claim")
	}
	time.Sleep(30 * time.Millisecond)
	if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) < time.Minute {
		t.Errorf("it gave a sign for the other: %v", err)
	}
	if err := c.Release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("it removed what is not its own: %v", err)
	}
}

// contest lets n programs try for the claim at once, and returns how many hold it when all have tried. Then those release it.
func contest(t *testing.T, path string, n int) (held int) {
	claims := make([]*Claim, n)
	var group sync.WaitGroup
	for k := range claims {
		group.Go(func() {
			c, err := Try(path, "", time.Second)
			if err != nil && !errors.As(err, new(*HeldError)) {
				t.Error(err)
			}
			claims[k] = c
		})
	}
	group.Wait()
	for _, c := range claims {
		if c != nil && c.Held() {
			held++
		}
	}
	for _, c := range claims {
		if c != nil {
			if err := c.Release(); err != nil {
				t.Error(err)
			}
		}
	}
	return held
}

// Of many that find a claim whose holder is gone, one has it at the end: those who moved a newer claim put it back.
func TestOneTakesOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for round := range 100 {
		foreign(t, path, time.Hour, 0.1)
		if held := contest(t, path, 8); held != 1 {
			t.Fatalf("round %d: %d hold it", round, held)
		}
	}
	before, err := look(func() string { foreign(t, path, time.Hour, 0.1); return path }())
	if err != nil {
		t.Fatal(err)
	}
	foreign(t, path, 0, 0.1) // it gave a sign meanwhile
	if err := removeSeen(path, before); err != nil {
		t.Fatal(err)
	}
	if _, live := Live(path, 0); !live {
		t.Error("a claim that gave a sign after it was looked at was removed")
	}
}

// Those who wait for a claim have it one after another.
func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	var inside, most atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				c, err := Wait(t.Context(), path, "", 0, nil)
				if err != nil {
					t.Error(err)
					return
				}
				most.Store(max(most.Load(), inside.Add(1)))
				inside.Add(-1)
				if err := c.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if most.Load() != 1 {
		t.Errorf("%d held it at once", most.Load())
	}
}

// Others tidy the folder while a dead claim is taken over: none of those that try see a fault, and none loses the claim.
func TestTidiedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	ended := make(chan struct{})
	var tidy sync.WaitGroup
	tidy.Go(func() {
		for {
			select {
			case <-ended:
				return
			default:
				if err := files.RemoveTemporary(dir); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 300 {
		foreign(t, path, time.Hour, 0.1)
		if held := contest(t, path, 4); held != 1 {
			t.Errorf("%d hold it", held)
		}
		if t.Failed() {
			break
		}
	}
	close(ended)
	tidy.Wait()
}

// Who takes the lock of a program on another host waits until it is clear whether that lives: a sign of it is an error, none for long is not.
func TestTake(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	const stale = 400 * time.Millisecond
	foreign(t, path, 0, 0.01)
	began := time.Now()
	c, err := Take(t.Context(), path, "", stale, nil)
	if err != nil || time.Since(began) < stale/2 {
		t.Fatalf("a silent one: %v after %s", err, time.Since(began))
	}
	if err := c.Release(); err != nil {
		t.Fatal(err)
	}
	foreign(t, path, 0, 0.01)
	var signs sync.WaitGroup
	ended := make(chan struct{})
	signs.Go(func() { // often, so that one comes in time on a busy machine too
		for {
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
				now := time.Now()
				_ = os.Chtimes(path, now, now) // if it fails, the test does
			}
		}
	})
	if _, err := Take(t.Context(), path, "", stale, nil); !errors.As(err, new(*HeldError)) {
		t.Errorf("one that gives a sign: %v", err)
	}
	close(ended)
	signs.Wait()
}

// A claim that is found before its holder has written who it is counts as that holder's all the same; one whose holder was killed then is somebody's.
func TestLiveWaitsForTheHolder(t *testing.T) {
	dir := t.TempDir()
	c, err := Try(filepath.Join(dir, "a"), "2/4", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Release(); err != nil {
			t.Error(err)
		}
	}()
	young := filepath.Join(dir, "b")
	if err := os.WriteFile(young, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() {
		time.Sleep(20 * time.Millisecond)
		written <- os.WriteFile(young, c.text, 0o666)
	}()
	if by, live := Live(young, 0); !live || by.Note != "2/4" {
		t.Errorf("found %+v, %v", by, live)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(young, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if by, live := Live(young, 0); !live || by != (Holder{}) {
		t.Errorf("of nobody: %+v, %v", by, live)
	}
}

// Who waits says once whose the claim is, and so does the error of a wait that was ended.
func TestWaitSaysWhose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	c, err := Try(path, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, wait := range map[string]func(context.Context, func(*HeldError)) error{
		"wait": func(ctx context.Context, told func(*HeldError)) error {
			_, err := Wait(ctx, path, "", 0, told)
			return err
		},
		"take": func(ctx context.Context, told func(*HeldError)) error {
			foreign(t, path, 0, 0.1)
			_, err := Take(ctx, path, "", 200*time.Millisecond, told)
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var said []string
		err := wait(ctx, func(held *HeldError) {
			said = append(said, held.Error())
			time.AfterFunc(50*time.Millisecond, cancel)
		})
		who := strconv.Itoa(os.Getpid())
		if len(said) != 1 || !strings.Contains(said[0], "is held by process "+who) {
			t.Errorf("%s: said %q", name, said)
		}
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "is held by process "+who) || errors.As(err, new(*HeldError)) {
			t.Errorf("%s: %v, expected who holds it", name, err)
		}
		cancel()
	}
	if err := c.Release(); err != nil {
		t.Error(err)
	}
}
