package slurm

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"github.com/allot-opt/allot/internal/lines"
)

// readAny reads what a command printed: JSON, or the text of scontrol show, which is all that 21.08 and 22.05 print of partitions, reservations and licences.
func readAny(r io.Reader, faults *lines.Faults) *document {
	buffered := bufio.NewReaderSize(r, 1<<16)
	begin, _ := buffered.Peek(1 << 10) // an error comes again when the rest is read
	begin = bytes.TrimSpace(bytes.TrimPrefix(begin, []byte("\ufeff")))
	if len(begin) == 0 || begin[0] == '{' || begin[0] == '[' {
		return readDocument(buffered, faults)
	}
	return readText(buffered, faults)
}

// readText reads records of words such as Total=4. The first word of a record names its object.
func readText(r io.Reader, faults *lines.Faults) *document {
	doc := &document{faults: faults}
	scanner := lines.NewScanner(r)
	for scanner.Scan() {
		line := strings.TrimSpace(string(scanner.Bytes()))
		if scanner.Line() == 1 {
			doc.announced(line)
		}
		for word := range strings.FieldsSeq(line) {
			if key, value, found := strings.Cut(word, "="); found {
				doc.word(key, value, scanner.Line())
			}
		}
	}
	scanner.Check(faults)
	if faults.None() && doc.partitions == nil && doc.reservations == nil && doc.licences == nil {
		faults.At("", "expected JSON, or what scontrol show prints of partitions, reservations or licences")
	}
	return doc
}

// announced takes the line that stands for an empty list.
func (doc *document) announced(line string) {
	switch line {
	case "No reservations in the system":
		doc.reservations = []reservation{}
	case "No licenses configured in Slurm.", "No licenses in the system":
		doc.licences = []licence{}
	case "No partitions in the system":
		doc.partitions = []partition{}
	}
}

// word takes a word of a record. The first ones begin a record.
func (doc *document) word(key, value string, line int) {
	count := func(n *number) {
		n.given = true
		x, err := lines.Whole(value, 0)
		if err != nil {
			doc.faults.Line(line, "%s: %s", key, err)
			return
		}
		n.known, n.value = true, float64(x)
	}
	switch key {
	case "PartitionName":
		doc.partitions = append(doc.partitions, partition{name: value})
		return
	case "ReservationName":
		doc.reservations = append(doc.reservations, reservation{name: value})
		return
	case "LicenseName":
		doc.licences = append(doc.licences, licence{name: value})
		return
	}
	if n := len(doc.licences); n > 0 && key == "Total" {
		count(&doc.licences[n-1].total)
	}
	if n := len(doc.partitions); n > 0 {
		p := &doc.partitions[n-1]
		switch key {
		case "MaxTime":
			minutes, known, err := parseLimit(value)
			if err != nil {
				doc.faults.Line(line, "MaxTime: %s", err)
			}
			p.limit = number{given: true, known: known, infinite: !known, value: minutes}
		case "PriorityTier":
			count(&p.tier)
		case "OverSubscribe":
			p.share = number{given: true, known: true, value: 1}
			if strings.EqualFold(value, "EXCLUSIVE") {
				p.share.value = 0
			}
		case "State":
			p.state = []string{value}
		}
	}
}
