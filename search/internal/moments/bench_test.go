package moments

import (
	"context"
	"testing"

	"github.com/allot-opt/allot/model"
	"os"
)

func BenchmarkX(b *testing.B) {
	in, err := model.ReadInstanceFile(os.Getenv("INST"))
	if err != nil {
		b.Fatal(err)
	}
	e, err := New(context.Background(), in, &model.Solution{}, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	e.Advance(0, int64(b.N), func() bool { return false })
}
