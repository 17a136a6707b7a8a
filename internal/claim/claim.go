// Package claim lets programs that share nothing but a folder agree on who does what. A claim is a file that its holder wrote beside, put into place where there
// was none, and writes again from time to time, its beat. It uses no lock of the operating system, because on some network file systems such
// locks do not reach beyond one host. It compares only times of the file system's clock with each other.
//
// A claim whose holder has ended is taken over: at once if the holder ran on this host, otherwise after the claim went without a beat for
// a while. Two programs may hold the same claim in two cases: the first one was held up for that while, by a suspended machine or a lost
// network; or three took over a dead claim in the same moment. [Claim.Held] tells the first one that it has lost the claim.
package claim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/allot-opt/allot/internal/files"
)

// Stale is the default time without a beat after which a claim of another host is taken over.
const Stale = 2 * time.Minute

// writing is the time within which a claim says whose it is. One that does not was left by a program that was killed while it made it.
const writing = 5 * time.Second

// mostBeat is the longest time between two beats.
const mostBeat = 15 * time.Second

// Claim is a claim that this program holds.
type Claim struct {
	path  string
	token string
	text  []byte
	file  *os.File
	stop  chan struct{}
	done  sync.WaitGroup
}

// HeldError says that another program holds a claim.
type HeldError struct {
	Path string
	By   Holder
}

// Error names the claim and, as far as it is known, its holder.
func (e *HeldError) Error() string {
	if e.By.Host == "" {
		return e.Path + " is held by another program, which it does not name"
	}
	return fmt.Sprintf("%s is held by process %d on %s", e.Path, e.By.PID, e.By.Host)
}

// seen is a claim as it was found.
type seen struct {
	text     []byte
	modified time.Time
	by       Holder // zero: the file does not say, see [seen.ended]
}

// Try takes the claim or returns a [*HeldError]. The note is for others to read. A claim of another host without a beat for the time stale is
// taken over; 0 means [Stale].
func Try(path, note string, stale time.Duration) (*Claim, error) {
	c, err := create(path, note, stale)
	if !errors.Is(err, fs.ErrExist) {
		return c, err
	}
	before, err := look(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil { // else it was released
		if ended, err := before.ended(filepath.Dir(path), stale); err != nil {
			return nil, err
		} else if !ended {
			return nil, &HeldError{path, before.by}
		}
		if err := removeSeen(path, before); err != nil {
			return nil, err
		}
	}
	if c, err = create(path, note, stale); errors.Is(err, fs.ErrExist) {
		return nil, &HeldError{Path: path} // another program was faster
	}
	return c, err
}

// Take is like [Try]. If the holder is on another host, it waits until it knows whether the holder lives: either the claim has a beat, and
// the error is a [*HeldError], or it has none for the time stale, and Take takes it over.
//
// Before it waits it tells whose the claim is; told may be nil.
func Take(ctx context.Context, path, note string, stale time.Duration, told func(*HeldError)) (*Claim, error) {
	first, err := look(path)
	for said := false; ; {
		c, tried := Try(path, note, stale)
		if !errors.As(tried, new(*HeldError)) {
			return c, tried
		}
		now, again := look(path)
		switch {
		case again == nil && (now.by.onThisHost() || err == nil && !now.same(first)):
			return nil, &HeldError{path, now.by}
		case again == nil && err != nil:
			first, err = now, nil
		}
		if !said && told != nil {
			said = true
			told(&HeldError{path, now.by})
		}
		between := beatOf(stale)
		if now.by == (Holder{}) {
			between = min(between, writing/8)
		}
		if err := pause(ctx, between); err != nil {
			return nil, waited(err, path, now.by)
		}
	}
}

// waited is the error of who has waited for a claim in vain. It says whose that is.
func waited(err error, path string, by Holder) error {
	return fmt.Errorf("%w, while it waited: %s", err, (&HeldError{path, by}).Error()) // not wrapped: it did not end because of the holder
}

// Wait takes the claim as soon as no other program holds it. If that takes longer than a second, it tells whose the claim is; told may be nil.
func Wait(ctx context.Context, path, note string, stale time.Duration, told func(*HeldError)) (*Claim, error) {
	began := time.Now()
	for between := time.Millisecond; ; between = min(2*between, 200*time.Millisecond) {
		var holds *HeldError
		c, err := Try(path, note, stale)
		if !errors.As(err, &holds) {
			return c, err
		}
		if told != nil && time.Since(began) > time.Second {
			told(holds)
			told = nil
		}
		if err := pause(ctx, between/2+rand.N(between)); err != nil {
			return nil, waited(err, path, holds.By)
		}
	}
}

// Live returns the holder of a claim, and false where nobody holds it or its holder has ended. Where the holder has made the file and not yet written who it
// is, Live waits for that for a second; then the holder is the zero value.
func Live(path string, stale time.Duration) (Holder, bool) {
	found, err := look(path)
	for deadline := time.Now().Add(time.Second); err == nil && found.by == (Holder{}) && time.Now().Before(deadline); found, err = look(path) {
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		return Holder{}, false
	}
	ended, err := found.ended(filepath.Dir(path), stale)
	return found.by, err == nil && !ended
}

// Held reports whether the claim is still this program's.
func (c *Claim) Held() bool {
	found, err := look(c.path)
	return err == nil && bytes.Equal(found.text, c.text)
}

// Release gives the claim up.
func (c *Claim) Release() error {
	close(c.stop)
	c.done.Wait()
	defer held.Delete(c.token) // after its file, so that nobody takes it over meanwhile
	still := c.Held()
	err := c.file.Close()
	if !still {
		return err
	}
	// Another may just have moved the claim aside that had seen the one before it, see removeSeen: it puts this one back, which has ended then.
	if removed := os.Remove(c.path); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// create makes the file of a claim, or returns an error that is [fs.ErrExist].
func create(path, note string, stale time.Duration) (*Claim, error) {
	beat := beatOf(stale)
	by := self(note, beat)
	text, err := json.Marshal(by)
	if err != nil {
		return nil, err
	}
	held.Store(by.Token, nil)
	file, err := files.Place(path, text)
	if err != nil {
		held.Delete(by.Token)
		return nil, err
	}
	c := &Claim{path: path, token: by.Token, text: text, file: file, stop: make(chan struct{})}
	c.done.Go(func() {
		ticker := time.NewTicker(beat)
		defer ticker.Stop()
		for {
			select {
			case <-c.stop:
				return
			case <-ticker.C:
				_ = errors.Join(c.beat(), c.file.Sync()) // if it fails for long, others take the claim over, which Held tells
			}
		}
	})
	return c, nil
}

// beat writes the claim again, which changes the time of its file, by the clock of the file system. It writes to the file that was opened, never to
// one of another holder under the same name.
func (c *Claim) beat() error {
	_, err := c.file.WriteAt(c.text, 0)
	return err
}

// beatOf is the time between two beats.
func beatOf(stale time.Duration) time.Duration {
	if stale <= 0 {
		stale = Stale
	}
	return max(min(stale/8, mostBeat), time.Millisecond)
}

// look reads a claim. It opens the file, as that makes a network file system ask for what is new.
func look(path string) (found seen, err error) {
	file, err := os.Open(path)
	if err != nil {
		return found, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return found, err
	}
	found.modified = info.ModTime()
	if found.text, err = io.ReadAll(io.LimitReader(file, 1<<16)); err != nil {
		return found, err
	}
	if json.Unmarshal(found.text, &found.by) != nil {
		found.by = Holder{}
	}
	return found, nil
}

// same reports whether a claim has had no beat since.
func (s seen) same(t seen) bool { return bytes.Equal(s.text, t.text) && s.modified.Equal(t.modified) }

// ended reports whether the holder of the claim has ended, as far as that is known.
func (s seen) ended(dir string, stale time.Duration) (bool, error) {
	if s.by.onThisHost() {
		return !s.by.runs(), nil
	}
	if stale <= 0 {
		stale = Stale
	}
	if s.by == (Holder{}) { // only on a file system without links is a claim there before it says whose it is, and then for a moment
		stale = min(stale, writing)
	}
	now, err := files.Now(dir)
	if err != nil {
		return false, err
	}
	// A claim of the future, too: the clock was set back since, and who lives writes it again at the next beat.
	return now.Sub(s.modified).Abs() > max(stale, 3*time.Duration(s.by.Beat*float64(time.Second))), nil
}

// removeSeen removes a claim if it is still the one that was seen. Renaming moves it out of the way of everybody else, so that of several programs that
// found the same one only the first removes it. One that moved another claim, made meanwhile, puts it back. The name that it has in between is that of a
// temporary file of this program, which others leave alone as long as this one lives.
func removeSeen(path string, before seen) error {
	aside := files.Beside(filepath.Dir(path))
	if err := os.Rename(path, aside); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	moved, err := look(aside)
	if err == nil && !moved.same(before) {
		_ = os.Link(aside, path) // it fails where there is a newer claim; then the holder of this one finds that it has lost it
	}
	if removed := os.Remove(aside); !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed)
	}
	return err
}

// pause waits for a while, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
