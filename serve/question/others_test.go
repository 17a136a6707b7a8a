package question

import "testing"

// The seed 0 is a seed, not an absent one.
func TestSeedOfTheRunToFollow(t *testing.T) {
	if absent, none := (&Explain{}).RunSeed(), (&Explain{Seed: new(uint64(0))}).RunSeed(); absent != 1 || none != 0 {
		t.Errorf("seeds %d and %d", absent, none)
	}
}
