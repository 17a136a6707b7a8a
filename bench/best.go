package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/allot-opt/allot/internal/files"
	"github.com/allot-opt/allot/model"
)

// BestStore is a folder of the best-known solutions, a file for each instance (by SHA-256) and objective. Nothing in it is trusted: a
// solution is checked and evaluated anew whenever it is read. Several programs may use a folder at a time; a value of this type is for one
// goroutine.
type BestStore struct {
	dir  string
	seen map[string]seenBest // by path
}

// seenBest is a stored file that was found to be right, as long as it does not change.
type seenBest struct {
	size     int64
	modified time.Time
	rank     model.Rank
}

// BestError says what is wrong with a stored solution.
type BestError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *BestError) Error() string {
	text := strings.TrimPrefix(e.Err.Error(), e.Path+": ")
	return fmt.Sprintf("%s: the stored solution does not count: %s", e.Path, text)
}

// Unwrap is what is wrong.
func (e *BestError) Unwrap() error { return e.Err }

// OpenBest opens the folder, which need not exist yet.
func OpenBest(dir string) *BestStore { return &BestStore{dir, map[string]seenBest{}} }

// Path is the file of the instance and its objective: SHA256.OBJECTIVE.json.
func (s *BestStore) Path(in *model.Instance) string {
	objective := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '+', r == '-', r == '.':
			return r
		case r == '·':
			return '*'
		}
		return -1
	}, ObjectiveName(in))
	return filepath.Join(s.dir, in.SHA256()+"."+strings.ReplaceAll(objective, "*", "x")+".json")
}

// Best is the best-known solution of the instance for its objective, checked and with its figures computed anew; nil: none. A file that is
// wrong is as good as none; the error, a [*BestError], names it.
func (s *BestStore) Best(in *model.Instance) (*model.Solution, error) {
	path := s.Path(in)
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
	sol.Metrics, sol.Objective = report.Metrics, Finite(report.Objective)
	if sol.Objective == nil {
		return nil, &BestError{path, errors.New("expected a finite objective, found none")}
	}
	return sol, nil
}

// Offer stores the solution if it is better than the stored one: leaves fewer jobs out or, with as many, has a lower objective. It must be
// one that the checker accepts. A stored file that is wrong is replaced; the error is then a [*BestError] that names it.
func (s *BestStore) Offer(in *model.Instance, sol *model.Solution) (better bool, err error) {
	if sol.Objective == nil {
		return false, nil
	}
	path, rank := s.Path(in), rankOf(sol)
	if known, ok := s.unchanged(path); ok && !rank.Better(known) {
		return false, nil
	}
	unlock, err := s.lock() // for the moment between reading and writing
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	stored, wrong := s.Best(in)
	if stored != nil && !rank.Better(rankOf(stored)) {
		s.remember(path, rankOf(stored))
		return false, nil
	}
	if err := files.Write(path, func(w io.Writer) error { return model.WriteSolution(w, sol) }); err != nil {
		return false, err
	}
	s.remember(path, rank)
	return true, wrong
}

// lock waits until no other program writes in the folder, which is made if it is missing.
func (s *BestStore) lock() (unlock func() error, err error) {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(s.dir, lockFile))
	return lock.Unlock, withoutLocks(lock.Lock())
}

// tidy removes what killed programs have left half-written.
func (s *BestStore) tidy() error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	return errors.Join(files.RemoveTemporary(s.dir), unlock())
}

// rankOf is what a solution with a finite objective is judged by.
func rankOf(sol *model.Solution) model.Rank {
	return model.NewRank(len(sol.Unscheduled), *sol.Objective)
}

// unchanged is the rank of a stored solution that was right when it was last looked at, if the file is the same.
func (s *BestStore) unchanged(path string) (model.Rank, bool) {
	seen, ok := s.seen[path]
	info, err := os.Stat(path)
	return seen.rank, ok && err == nil && info.Size() == seen.size && info.ModTime().Equal(seen.modified)
}

// remember keeps the rank of a stored solution.
func (s *BestStore) remember(path string, rank model.Rank) {
	if info, err := os.Stat(path); err == nil {
		s.seen[path] = seenBest{info.Size(), info.ModTime(), rank}
	}
}
