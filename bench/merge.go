package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/allot-opt/allot/model"
)

// merged puts rows of several files together. If a cell has several rows, the first stays. A cell may have two rows if a program seemed dead and
// another ran its cell, or if it ran in two shards with different numbers of shards.
type merged struct {
	rows   []Row
	places map[string]int // index in rows, by key
	at     []string       // where each row was read
}

// add adds rows in the order of their reading. Rows without a key, of other commands, are all kept.
func (m *merged) add(rows []lineRow) {
	if m.places == nil {
		m.places = map[string]int{}
	}
	for _, row := range rows {
		place, twice := m.places[row.Key]
		if !twice || row.Key == "" {
			m.places[row.Key] = len(m.rows)
			m.rows, m.at = append(m.rows, row.Row), append(m.at, row.at)
			continue
		}
		if fields := differences(&m.rows[place], &row.Row); len(fields) > 0 {
			m.rows[place] = m.rows[place].contradicted(fmt.Sprintf("%s%s: %s and %s", faultTexts[Contradiction], strings.Join(fields, ", "), m.at[place], row.at))
		}
	}
}

// differences returns the names of the fields, other than times, in which two rows of a cell differ. A run that ended by its time limit may reach
// different results each time, so its result is not compared. A row that lost its result because of a difference is not compared again.
func differences(a, b *Row) []string {
	if a.Stop == model.StopTime || b.Stop == model.StopTime || a.Kind == Contradiction {
		return nil
	}
	one, two := a.timeless(), b.timeless()
	names := maps.Clone(one)
	maps.Copy(names, two)
	return slices.Sorted(func(yield func(string) bool) {
		for name := range names {
			if !bytes.Equal(one[name], two[name]) && !yield(name) {
				return
			}
		}
	})
}

// timeless returns the fields of the row as JSON, without times.
func (row *Row) timeless() map[string]json.RawMessage {
	clone := *row
	clone.Elapsed = 0
	clone.Incumbents = slices.Clone(row.Incumbents)
	for k := range clone.Incumbents {
		clone.Incumbents[k].Elapsed = 0
	}
	text, err := json.Marshal(clone)
	fields := map[string]json.RawMessage{}
	if err == nil {
		err = json.Unmarshal(text, &fields)
	}
	if err != nil {
		panic("bench: a row that was read cannot be written: " + err.Error())
	}
	return fields
}

// contradicted returns a row of the same run that has a fault in place of a result.
func (row *Row) contradicted(fault string) Row {
	return Row{
		Key: row.Key, Group: row.Group, Instance: row.Instance, InstanceSHA256: row.InstanceSHA256, Solver: row.Solver, Algorithm: row.Algorithm,
		Parameters: row.Parameters, Minimised: row.Minimised, Measured: row.Measured, Jobs: row.Jobs, Seed: row.Seed, TimeLimit: row.TimeLimit,
		MaxEvals: row.MaxEvals, Workers: row.Workers, Version: row.Version, Online: row.Online, AllocatesBy: row.AllocatesBy, Elapsed: row.Elapsed, Fault: fault, Kind: Contradiction,
	}
}
