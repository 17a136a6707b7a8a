package search

import (
	"testing"

	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/search/internal/engine"
)

// The values that help texts show for parameters that nobody sets are those that the walks have.
func TestUsualWalksAreThoseShown(t *testing.T) {
	var set, none Walks
	for _, p := range params.Of(&none) {
		if err := params.Set(&set, p.Name, p.Default); err != nil {
			t.Error(err)
		}
	}
	if got, want := set.settled(), engine.DefaultWalks(); got != want || none.settled() != want {
		t.Errorf("shown %+v and %+v, expected %+v", got, none.settled(), want)
	}
}
