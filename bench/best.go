package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/allot-opt/allot/internal/claim"
	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
)

// BestStore is a folder of the best-known solutions. It has a file for each instance (by SHA-256) and objective. The store trusts no file: it
// checks and evaluates a solution whenever it reads it. Several programs may use a folder at the same time, but only one goroutine may use a
// BestStore.
type BestStore struct {
	dir   string
	stale time.Duration // see [RunOptions]
	told  func(*claim.HeldError)
	seen  map[string]seenBest // by path
}

// seenBest records that a stored file was found to be right. The record holds as long as the file does not change.
type seenBest struct {
	size     int64
	modified time.Time
	rank     model.Rank
}

// BestError says that a stored solution is wrong, and why.
type BestError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *BestError) Error() string {
	text := strings.TrimPrefix(e.Err.Error(), e.Path+": ")
	return fmt.Sprintf("%s: the stored solution does not count: %s", e.Path, text)
}

// Unwrap returns the reason without the file.
func (e *BestError) Unwrap() error { return e.Err }

// OpenBest opens the folder, which need not exist yet.
func OpenBest(dir string) *BestStore { return &BestStore{dir: dir, seen: map[string]seenBest{}} }

// path returns the path of the file for the instance and its objective: SHA256.OBJECTIVE.json.
func (s *BestStore) path(in *model.Instance) string {
	objective := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '+', r == '-', r == '.':
			return r
		case r == '·':
			return '*'
		}
		return -1
	}, shown.Objective(in))
	return filepath.Join(s.dir, in.SHA256()+"."+strings.ReplaceAll(objective, "*", "x")+".json")
}

// Best returns the best known solution of the instance for its objective, or nil if there is none. It checks the solution and computes its figures
// again. If the file is wrong, it returns nil and a [*BestError] that names the file.
func (s *BestStore) Best(in *model.Instance) (*model.Solution, error) {
	path := s.path(in)
	sol, err := model.ReadSolutionFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &BestError{path, err}
	}
	if sol.InstanceSHA256 == "" {
		return nil, &BestError{path, errors.New("instance_sha256: expected that of the instance, found none")}
	}
	report := model.Check(in, sol)
	if !report.OK() {
		return nil, &BestError{path, report.Violations[0]}
	}
	sol.Metrics, sol.Objective = report.Metrics, numtext.Finite(report.Objective)
	if sol.Objective == nil {
		return nil, &BestError{path, errors.New("expected a finite objective, found none")}
	}
	return sol, nil
}

// offer stores the solution if it is better than the stored one. A solution is better if it owes fewer jobs ([model.Instance.Owed]), or equally many with a lower
// objective. The checker must accept it. offer replaces a stored file that is wrong; the error is then a [*BestError] that names the file. It waits for
// another program that writes in the folder, until ctx ends.
func (s *BestStore) offer(ctx context.Context, in *model.Instance, sol *model.Solution) (better bool, err error) {
	if sol.Objective == nil {
		return false, nil
	}
	path, rank := s.path(in), rankOf(in, sol)
	if known, ok := s.unchanged(path); ok && !rank.Better(known) {
		return false, nil
	}
	unlock, err := s.lock(ctx) // no other program may write between our reading and our writing
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	stored, wrong := s.Best(in)
	if stored != nil && !rank.Better(rankOf(in, stored)) {
		s.remember(path, rankOf(in, stored))
		return false, nil
	}
	if err := files.Write(path, func(w io.Writer) error { return model.WriteSolution(w, sol) }); err != nil {
		return false, err
	}
	s.remember(path, rank)
	return true, wrong
}

// lock makes the folder if it is missing and waits until no other program writes in it, or ctx ends.
func (s *BestStore) lock(ctx context.Context) (unlock func() error, err error) {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	lock, err := claim.Wait(ctx, filepath.Join(s.dir, "best"+lockSuffix), "", s.stale, s.told)
	if err != nil {
		return nil, err
	}
	return lock.Release, nil
}

// tidy removes half-written files that killed programs have left.
func (s *BestStore) tidy(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	return errors.Join(files.RemoveTemporary(s.dir), unlock())
}

// rankOf returns the rank of a solution with a finite objective.
func rankOf(in *model.Instance, sol *model.Solution) model.Rank {
	return in.RankOf(sol, *sol.Objective)
}

// unchanged returns the remembered rank of a stored solution, or false if the file has changed since it was last checked.
func (s *BestStore) unchanged(path string) (model.Rank, bool) {
	seen, ok := s.seen[path]
	info, err := os.Stat(path)
	return seen.rank, ok && err == nil && info.Size() == seen.size && info.ModTime().Equal(seen.modified)
}

// remember records the rank of a stored solution that was found to be right.
func (s *BestStore) remember(path string, rank model.Rank) {
	if info, err := os.Stat(path); err == nil {
		s.seen[path] = seenBest{info.Size(), info.ModTime(), rank}
	}
}
