package bench

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// BenchmarkSweep runs the 200 cells of a suite on two cores: as one program with two runs at a time, as two shards, and by two programs that claim cells. Shards
// may take 1.1 times as long as the one program.
func BenchmarkSweep(b *testing.B) {
	path := filepath.Join(b.TempDir(), "suite.json")
	const text = `{"format": "allot-suite/1", "name": "sweep", "instances": [{"generate": "muscle", "parameters": {"jobs": [20, 60]}, "seeds": 10}],
 "solvers": ["search", {"solver": "minmin", "seeds": 1}, {"solver": "mct", "seeds": 1}], "seeds": 8, "budget": {"evaluations": 20000}}`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		parts []RunOptions
	}{
		{"local", []RunOptions{{Jobs: 2}}},
		{"shards", []RunOptions{{Shard: Shard{1, 2}}, {Shard: Shard{2, 2}}}},
		{"claims", []RunOptions{{Steal: true}, {Steal: true}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				dir := b.TempDir()
				var group sync.WaitGroup
				for _, opt := range c.parts {
					opt.Dir = dir
					group.Go(func() {
						if err := runOf(b.Context(), path, opt); err != nil {
							b.Error(err)
						}
					})
				}
				group.Wait()
			}
		})
	}
}
