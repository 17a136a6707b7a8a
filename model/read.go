package model

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// ReadInstance reads an instance from JSON and validates it. Errors call the input by the given name. The error is an [*InputError] that lists
// all faults, or the error of r.
//
// The input is streamed: besides the instance, only one token is in memory.
func ReadInstance(r io.Reader, name string) (*Instance, error) {
	return ReadInstanceWithin(r, name, Limits{})
}

// ReadInstanceWithin is [ReadInstance] of an instance from a stranger. It counts while it reads. Where a limit is passed it stops, before the rest is
// in memory, and the error wraps [ErrTooLarge].
func ReadInstanceWithin(r io.Reader, name string, limits Limits) (*Instance, error) {
	var spec InstanceSpec
	hashed := &hashingReader{r: bufio.NewReaderSize(r, 1<<16), hash: sha256.New()}
	if err := readDocument(hashed, name, &spec, InstanceSchema, limits); err != nil {
		return nil, err
	}
	in, err := build(&spec, listed(spec.Jobs), name, limits)
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
	if err := ReadDocument(bufio.NewReaderSize(r, 1<<16), name, sol, SolutionSchema); err != nil {
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
	r    io.Reader
	hash hash.Hash
}

// Read implements io.Reader.
func (h *hashingReader) Read(buffer []byte) (int, error) {
	n, err := h.r.Read(buffer)
	h.hash.Write(buffer[:n]) // never fails
	return n, err
}
