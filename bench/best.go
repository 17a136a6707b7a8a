package bench

import (
	"errors"

	"github.com/allot-opt/allot/model"
)

// BestStore is a folder of the best-known solutions, a file for each instance (by SHA-256) and objective. Nothing in it is trusted: a
// solution is checked and evaluated anew whenever it is read. Several programs may use a folder at a time.
type BestStore struct{ dir string }

// OpenBest opens the folder, which need not exist yet.
func OpenBest(dir string) *BestStore { return &BestStore{dir} }

// Best is the best-known solution of the instance for its objective, checked; nil: none. A file that is wrong is as good as none, and the
// error names it.
func (s *BestStore) Best(in *model.Instance) (*model.Solution, error) {
	return nil, errors.New("not yet")
}

// Offer stores the solution if it is better than the stored one: leaves fewer jobs out or, with as many, has a lower objective. It must be
// right. A stored file that is wrong is replaced; the error names it.
func (s *BestStore) Offer(in *model.Instance, sol *model.Solution) (better bool, err error) {
	return false, errors.New("not yet")
}
