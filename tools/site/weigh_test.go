package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/andybalholm/brotli"
)

// mostBytes is how large the engine may be by brotli of quality 9, which is quicker than that of the site: what has 6.75 MB by it travels as 5.87 MB.
const mostBytes = 6_900_000

// TestEngineIsSmall: the engine travels as no more than 6 MB.
func TestEngineIsSmall(t *testing.T) {
	name := filepath.Join(t.TempDir(), "allot.wasm")
	if err := engine(filepath.Join("..", ".."), name); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var size counter
	br := brotli.NewWriterOptions(&size, brotli.WriterOptions{Quality: 9, LGWin: 24})
	if _, err := br.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := br.Close(); err != nil {
		t.Fatal(err)
	}
	if size > mostBytes || size < mostBytes/4 {
		t.Errorf("the engine has %d bytes by brotli: expected at most %d", size, mostBytes)
	}
}

// counter counts bytes.
type counter int

var _ io.Writer = new(counter)

// Write implements io.Writer.
func (c *counter) Write(text []byte) (int, error) { *c += counter(len(text)); return len(text), nil }
