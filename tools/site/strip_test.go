package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// wasm is a module with a custom section, a section of code and data.
func wasm(segments map[int][]byte) []byte {
	text := []byte("\x00asm\x01\x00\x00\x00\x00\x02\x01x\x0a\x01\x00")
	data := binary.AppendUvarint(nil, uint64(len(segments)))
	for place, bytes := range segments {
		data = append(appendSigned(append(data, 0, constI32), place), endOfExpression)
		data = append(binary.AppendUvarint(data, uint64(len(bytes))), bytes...)
	}
	return append(binary.AppendUvarint(append(text, dataSection), uint64(len(data))), data...)
}

// TestDataStayInPlace: however the data are cut into segments, the memory is the same, and what is no part of the module goes.
func TestDataStayInPlace(t *testing.T) {
	far := bytes.Repeat([]byte{7}, 300)
	m, err := readModule(wasm(map[int][]byte{70: []byte("abc"), 80: []byte("def\x00"), 100_000: far}))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 100_300)
	copy(want[70:], "abc")
	copy(want[80:], "def")
	copy(want[100_000:], far)
	if !bytes.Equal(m.memory, want) {
		t.Error("the memory is not what the segments say")
	}
	written := m.write()
	again, err := readModule(written)
	if err != nil || !bytes.Equal(again.memory, want) {
		t.Errorf("written and read again it is not the same: %v", err)
	}
	if len(written) > 400 || bytes.Contains(written, []byte{2, 1, 'x'}) {
		t.Errorf("%d bytes; expected two segments, and no custom section", len(written))
	}
}

func TestOtherTablesAreRefused(t *testing.T) {
	if _, err := strip(wasm(map[int][]byte{64: []byte("no tables of functions")})); err == nil {
		t.Error("a module without tables of functions is stripped")
	}
	if _, err := strip([]byte("text")); err == nil {
		t.Error("a text is stripped")
	}
}

// TestSortsAgree: both packages order alike what is equal, so that the engine may have one for the other.
func TestSortsAgree(t *testing.T) {
	type pair struct{ key, place int }
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		list := make([]pair, n*n/40)
		for k := range list {
			list[k] = pair{rng.IntN(1 + n/3), k}
		}
		if n%3 == 0 {
			slices.SortFunc(list[:len(list)/2], func(a, b pair) int { return cmp.Compare(b.key, a.key) })
		}
		other := slices.Clone(list)
		slices.SortFunc(list, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
		sort.Slice(other, func(i, j int) bool { return other[i].key < other[j].key })
		if !slices.Equal(list, other) {
			t.Fatalf("%d elements are ordered differently", len(list))
		}
	}
}
