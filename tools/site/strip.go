package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// strip takes from the engine what only stack traces need, which nobody would read in a page: names, files and lines of functions, and where calls were inlined. That
// is a fifth of what travels. It is all in the tables that the runtime unwinds stacks by, see runtime/symtab.go of Go and internal/abi/symtab.go; what garbage
// collection, panics and recovery need of them stays.
func strip(wasm []byte) ([]byte, error) {
	m, err := readModule(wasm)
	if err != nil {
		return nil, err
	}
	t, err := findTables(m.memory)
	if err != nil {
		return nil, err
	}
	t.stripFunctions()
	t.stripNames()
	return m.write(), nil
}

// Sizes and places in a _func of the runtime, and the tables that it refers to.
const (
	funcName, funcFile, funcLine, funcTables, funcUnit, funcStart, funcLists, funcSize = 4, 20, 24, 28, 32, 36, 43, 44

	stackTable, boundsTable = 1, 4 // PCDATA_StackMapIndex, PCDATA_PanicBounds

	noList = ^uint32(0) // FUNCDATA that a function has not
)

// keptLists say which FUNCDATA stay: pointer maps of arguments and of locals, stack objects and deferred calls.
var keptLists = [...]bool{0: true, 1: true, 2: true, 4: true}

// tables are the tables of the functions of a program, in its memory.
type tables struct {
	names, values, functions []byte // functions begins with an index: a pair for each function
	lists                    []byte // FUNCDATA
	count                    int
}

var errTables = errors.New("the tables of functions are not as Go 1.26 writes them: see package runtime of this Go, and runtime/symtab.go there")

// findTables finds the tables by their header and by the pointers of the runtime's moduledata to them.
func findTables(memory []byte) (*tables, error) {
	magic := []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}
	at := bytes.Index(memory, magic)
	if at < 0 || bytes.Contains(memory[at+1:], magic) {
		return nil, errTables
	}
	word := func(k int) uint64 { return binary.LittleEndian.Uint64(memory[k:]) }
	begin := func(k int) uint64 { return uint64(at) + word(at+32+8*k) } // funcname, cu, file, pc, functions
	pointer := binary.LittleEndian.AppendUint64(nil, uint64(at))
	pointer = binary.LittleEndian.AppendUint64(pointer, begin(0))
	module := bytes.Index(memory, pointer)
	if module < 0 || module%8 != 0 {
		return nil, errTables
	}
	slice := func(k int) []byte { // the slice at a word of moduledata
		from, length := word(module+8*k), word(module+8*k+8)
		if from > uint64(len(memory)) || length > uint64(len(memory))-from {
			return nil
		}
		return memory[from:][:length:length]
	}
	const lists, end = 40, 41 // gofunc, epclntab
	from, to := word(module+8*lists), word(module+8*end)
	t := &tables{names: slice(1), values: slice(10), functions: slice(13), count: int(word(at + 8))}
	if word(module+8*10) != begin(3) || word(module+8*13) != begin(4) || len(t.functions) < 8*t.count || from < begin(4) || to < from || to > uint64(len(memory)) {
		return nil, errTables
	}
	t.lists = memory[from:to:to]
	return t, nil
}

// function is a _func with what follows it.
func (t *tables) function(k int) []byte {
	return t.functions[binary.LittleEndian.Uint32(t.functions[8*k+4:]):]
}

// stripFunctions removes what functions refer to, and clears the tables where nothing refers to them any more.
func (t *tables) stripFunctions() {
	values := make([]bool, len(t.values)) // what stays
	var lists []span
	for k := range t.count {
		f := t.function(k)
		clear(f[funcFile:funcTables])
		clear(f[funcUnit : funcStart+4])
		t.keep(values, f[16:])
		count := int(binary.LittleEndian.Uint32(f[funcTables:]))
		for n := range count {
			entry := f[funcSize+4*n:]
			if n == stackTable || n == boundsTable {
				t.keep(values, entry)
			} else {
				clear(entry[:4])
			}
		}
		for n := range int(f[funcLists]) {
			entry := f[funcSize+4*(count+n):]
			from := binary.LittleEndian.Uint32(entry)
			if from == noList {
				continue
			}
			kept := n < len(keptLists) && keptLists[n]
			lists = append(lists, span{from, kept})
			if !kept {
				binary.LittleEndian.PutUint32(entry, noList)
			}
		}
	}
	for k, kept := range values {
		if !kept {
			t.values[k] = 0
		}
	}
	slices.SortFunc(lists, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for k := 0; k < len(lists); {
		next, kept := k, false
		for ; next < len(lists) && lists[next].from == lists[k].from; next++ {
			kept = kept || lists[next].kept
		}
		if !kept && next < len(lists) {
			clear(t.lists[lists[k].from:lists[next].from])
		}
		k = next
	}
}

// span is where a list begins. It ends at the latest where the next one begins.
type span struct {
	from uint32
	kept bool
}

// keep marks a table of values by place in the code: pairs of numbers, until a first one that is 0, but that of the first pair.
func (t *tables) keep(values []bool, entry []byte) {
	from := int(binary.LittleEndian.Uint32(entry))
	if from == 0 || values[from] {
		return
	}
	at := from
	for first := true; first || t.values[at] != 0; first = false {
		for range 2 {
			for t.values[at]&0x80 != 0 {
				at++
			}
			at++
		}
	}
	for k := from; k <= at; k++ {
		values[k] = true
	}
}

// stripNames removes the names of functions. Those of the runtime stay: it knows its own goroutines by them.
func (t *tables) stripNames() {
	kept := make([]bool, len(t.names))
	for k := range t.count {
		f := t.function(k)
		from := int(binary.LittleEndian.Uint32(f[funcName:]))
		name, _, _ := bytes.Cut(t.names[from:], []byte{0})
		if !bytes.HasPrefix(name, []byte("runtime.")) {
			clear(f[funcName : funcName+4])
			continue
		}
		for n := range name {
			kept[from+n] = true
		}
	}
	for k, kept := range kept {
		if !kept {
			t.names[k] = 0
		}
	}
}

// module is a WebAssembly module, its data as they are in memory.
type module struct {
	sections [][]byte // whole, but the data
	data     int      // place of the data among the sections
	memory   []byte
}

const (
	customSection, dataSection = 0, 11
	constI32, endOfExpression  = 0x41, 0x0b
)

// readModule reads a module. It drops sections that say something about the module and are not part of it.
func readModule(wasm []byte) (*module, error) {
	m := &module{data: -1}
	if !bytes.HasPrefix(wasm, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	for at := 8; at < len(wasm); {
		length, size := binary.Uvarint(wasm[at+1:])
		if size <= 0 || length > uint64(len(wasm)-at-1-size) {
			return nil, fmt.Errorf("section at byte %d: expected its length", at)
		}
		content := at + 1 + size
		end := content + int(length)
		switch wasm[at] {
		case customSection:
		case dataSection:
			m.data = len(m.sections)
			if err := m.readData(wasm[content:end]); err != nil {
				return nil, err
			}
		default:
			m.sections = append(m.sections, wasm[at:end])
		}
		at = end
	}
	if m.data < 0 {
		return nil, errors.New("expected a section of data, found none")
	}
	return m, nil
}

// readData copies the segments of data to their places in memory.
func (m *module) readData(text []byte) error {
	count, size := binary.Uvarint(text)
	text = text[size:]
	for range count {
		if text[0] != 0 || text[1] != constI32 {
			return errors.New("expected data at constant places alone")
		}
		place, size := signed(text[2:])
		text = text[2+size:]
		if text[0] != endOfExpression {
			return errors.New("expected data at constant places alone")
		}
		length, size := binary.Uvarint(text[1:])
		text = text[1+size:]
		if more := place + int(length) - len(m.memory); more > 0 {
			m.memory = append(m.memory, make([]byte, more)...)
		}
		copy(m.memory[place:], text[:length])
		text = text[length:]
	}
	return nil
}

// signed reads a signed number in LEB128, and says how many bytes it takes.
func signed(text []byte) (value, size int) {
	for shift := 0; ; shift += 7 {
		value |= int(text[size]&0x7f) << shift
		size++
		if text[size-1]&0x80 == 0 {
			if text[size-1]&0x40 != 0 {
				value -= 1 << (shift + 7)
			}
			return value, size
		}
	}
}

// appendSigned appends a signed number in LEB128 that is not negative.
func appendSigned(text []byte, value int) []byte {
	for value >= 0x40 {
		text = append(text, byte(value)|0x80)
		value >>= 7
	}
	return append(text, byte(value))
}

// mostZeros is how many zeros may stand in a segment of data: a segment more takes more room, compressed, than they do.
const mostZeros = 256

// write writes the module.
func (m *module) write() []byte {
	var segments []byte
	count := 0
	for at := 0; at < len(m.memory); {
		if m.memory[at] == 0 {
			at++
			continue
		}
		end, zeros := at, 0
		for k := at; k < len(m.memory) && zeros <= mostZeros; k++ {
			if zeros++; m.memory[k] != 0 {
				end, zeros = k+1, 0
			}
		}
		segments = append(segments, 0, constI32)
		segments = append(appendSigned(segments, at), endOfExpression)
		segments = binary.AppendUvarint(segments, uint64(end-at))
		segments = append(segments, m.memory[at:end]...)
		at = end
		count++
	}
	data := append(binary.AppendUvarint(nil, uint64(count)), segments...)
	sections := slices.Insert(m.sections, m.data, append(binary.AppendUvarint([]byte{dataSection}, uint64(len(data))), data...))
	return append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Join(sections, nil)...)
}
