package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/allot-opt/allot/internal/claim"
)

// longestLook is the longest time between two looks at cells that other programs have claimed.
const longestLook = time.Second

// claimNext claims a cell that has no row, the most costly first. Where all that are left are claimed by other programs, it waits until they have rows, or
// takes over the claim of a program that has ended. It returns false when every cell has a row.
func (r *runner) claimNext(ctx context.Context) (place int, ok bool, err error) {
	for between := 10 * time.Millisecond; ; between = min(2*between, longestLook) {
		place, ok, err = r.claimOne()
		if ok || err != nil || !r.waiting() {
			return place, ok, err
		}
		select {
		case <-ctx.Done():
			return 0, false, nil
		case <-time.After(between):
		}
	}
}

// waiting reports whether cells are left that this program does not run.
func (r *runner) waiting() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return len(r.pending) > 0
}

// claimOne claims a cell, or returns false if other programs have claimed all that are left.
func (r *runner) claimOne() (place int, ok bool, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if err := r.dropDone(); err != nil {
		return 0, false, err
	}
	dir := filepath.Join(r.folder.dir, claimsFolder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, false, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, false, err
	}
	claimed := map[string]bool{}
	for _, entry := range entries {
		claimed[entry.Name()] = true
	}
	for _, taken := range []bool{false, true} { // what nobody has claimed, then what a program has that may have ended
		for _, place := range slices.Clone(r.pending) {
			key := r.plan.Cells[place].Key
			if claimed[key] != taken {
				continue
			}
			c, err := claim.Try(filepath.Join(dir, key), r.plan.Cells[place].Label, r.opt.Stale)
			if errors.As(err, new(*claim.HeldError)) {
				continue
			} else if err != nil {
				return 0, false, err
			}
			r.claims[place] = c
			if err := r.dropDone(); err != nil { // its row may have come before the claim was free
				return 0, false, errors.Join(err, r.unclaim(place))
			}
			if at := slices.Index(r.pending, place); at >= 0 {
				r.pending = slices.Delete(r.pending, at, at+1)
				return place, true, nil
			}
			if err := r.unclaim(place); err != nil {
				return 0, false, err
			}
		}
	}
	return 0, false, nil
}

// dropDone drops the cells that have a row by now. The caller holds the mutex.
func (r *runner) dropDone() error {
	if err := r.folder.follow.refresh(); err != nil {
		return err
	}
	r.pending = slices.DeleteFunc(r.pending, func(place int) bool {
		cell := &r.plan.Cells[place]
		if r.folder.done[cell.Key] {
			r.done++
			r.pace.finish(cell.Label)
			r.shelf.putBack(cell.Instance)
		}
		return r.folder.done[cell.Key]
	})
	return nil
}

// release gives up the claim of a cell that was run, after its row was written.
func (r *runner) release(place int) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.unclaim(place)
}

// unclaim is release for a caller that holds the mutex.
func (r *runner) unclaim(place int) error {
	c := r.claims[place]
	if c == nil {
		return nil
	}
	delete(r.claims, place)
	return c.Release()
}
