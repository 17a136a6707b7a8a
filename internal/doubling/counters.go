package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime/coverage"
)

// blocks is how many blocks of code the program has run since [restart]: the counts of a build with -cover -covermode=atomic. A block is a run of statements
// without a branch, of all packages that are named to -coverpkg. So the count is that of the machine's steps but for a factor, and the same in every run.
func blocks() (total int64, err error) {
	var text bytes.Buffer
	if err := coverage.WriteCounters(&text); err != nil {
		return 0, fmt.Errorf("expected a build with -cover -covermode=atomic: %w", err)
	}
	return sumCounters(text.Bytes())
}

// restart sets the counts to 0.
func restart() error { return coverage.ClearCounters() }

// What a file of counters looks like, as package internal/coverage of Go 1.26 states it: a header, the header of a segment, a table of strings, arguments, and for
// each function that ran the number of its counters, its package, its position and the counters, all as ULEB128.
const (
	fileHeader    = 32
	segmentHeader = 16
	fileVersion   = 1
	asULEB128     = 2
)

// sumCounters adds up all counters of a file.
func sumCounters(text []byte) (total int64, err error) {
	if len(text) < fileHeader+segmentHeader || !bytes.Equal(text[:4], []byte("\x00cwm")) || binary.LittleEndian.Uint32(text[4:]) != fileVersion || text[24] != asULEB128 {
		return 0, fmt.Errorf("expected counters of version %d, found %q: another version of Go writes them otherwise", fileVersion, text[:min(len(text), fileHeader)])
	}
	functions := binary.LittleEndian.Uint64(text[fileHeader:])
	at := fileHeader + segmentHeader + int(binary.LittleEndian.Uint32(text[fileHeader+8:])) + int(binary.LittleEndian.Uint32(text[fileHeader+12:]))
	next := func() (value uint64) {
		value, length := binary.Uvarint(text[min(at, len(text)):])
		if length <= 0 {
			err = fmt.Errorf("expected %d functions, found the end", functions)
			return 0
		}
		at += length
		return value
	}
	for range functions {
		counters := next()
		next()
		next()
		for k := uint64(0); k < counters && err == nil; k++ {
			total += int64(next())
		}
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}
