package model

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/allot-opt/allot/model/budget"
)

// ReadInstance reads an instance from JSON and validates it. Errors call the input by the given name. The error is an [*InputError] that lists
// all faults, or the error of r.
//
// The input is streamed: besides the instance, only one token is in memory. It draws upon the budget that r carries, see package budget. Where that is passed
// the reading stops, before the rest is in memory, and the error wraps that of the budget.
func ReadInstance(r io.Reader, name string) (*Instance, error) {
	var spec InstanceSpec
	r, b := budget.Of(r)
	hashed := &hashingReader{r: bufio.NewReaderSize(r, 1<<16), hash: sha256.New(), budget: b}
	if err := ReadDocument(hashed, name, &spec, InstanceSchema); err != nil {
		return nil, err
	}
	in, err := build(&spec, listed(spec.Jobs), name, b)
	if err != nil {
		return nil, err
	}
	in.digest.hex = hex.EncodeToString(hashed.hash.Sum(nil))
	return in, nil
}

// ReadInstanceFile is [ReadInstance] of a file; see [Open].
func ReadInstanceFile(path string) (*Instance, error) { return readFile(path, ReadInstance) }

// ReadSolution reads a solution from JSON. The error is an [*InputError] that lists everything wrong with the file; whether
// the schedule is right is for [Check] to say.
func ReadSolution(r io.Reader, name string) (*Solution, error) {
	sol := new(Solution)
	if err := ReadDocument(r, name, sol, SolutionSchema); err != nil {
		return nil, err
	}
	return sol, nil
}

// ReadSolutionFile is [ReadSolution] of a file; see [Open].
func ReadSolutionFile(path string) (*Solution, error) { return readFile(path, ReadSolution) }

// readFile opens the file and reads it.
func readFile[T any](path string, read func(io.Reader, string) (*T, error)) (*T, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return read(file, InputName(path))
}

// hashingReader hashes what it passes on.
type hashingReader struct {
	r      io.Reader
	hash   hash.Hash
	budget *budget.Budget
}

// Budget is the budget of the reading.
func (h *hashingReader) Budget() *budget.Budget { return h.budget }

// Read implements io.Reader.
func (h *hashingReader) Read(buffer []byte) (int, error) {
	n, err := h.r.Read(buffer)
	h.hash.Write(buffer[:n]) // never fails
	return n, err
}
