package proof

import (
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// This file finds the cheapest way of a machine through its states. The horizon is cut into equal cells; ways begin and end at limits of cells, and take a whole
// number of them, rounded down or up. Within a cell the least rate and the highest price of the cell count.
//
// That can only lower what a machine costs: for given ways in a given order, the cost is then linear in their begins and ends as long as each stays within its
// cell, and these times differ by at least, or at most, whole numbers of cells. So some cheapest choice has all of them at limits of cells.

// powerPassage is a way between on and a state that takes a number of cells.
type powerPassage struct {
	state, cells int
	up           bool
	watts        *big.Int
}

// states is what one machine costs at least, times the number of cells.
func (v *powerView) states(k *powerCluster, m *model.Machine, step string) (*big.Int, error) {
	p := m.Power
	states := len(p.Off) + 1
	if (v.cells+1)*states > powerStates {
		return nil, doubt(step+".cells", "so many cells of machines with %d states are not covered", states)
	}
	rate, sums, earned := v.cellCosts(k, m.Units)
	for s := range p.Off {
		if early := max(v.early(p.Off[s].Down.Time), v.early(p.Off[s].Up.Time)); early*float64(v.cells) > 2*(v.to-v.from) {
			return nil, doubt(step+".cells", "cells shorter than what rounding does to ways between states are not covered")
		}
	}
	timed, instant, back := v.passages(p)
	stays := []*big.Int{v.watts.of(number(p.Idle))}
	for s := range p.Off {
		stays = append(stays, v.watts.of(number(p.Off[s].Power)))
	}
	type node struct {
		cost  big.Int
		known bool
	}
	rows := make([][]node, back+1) // a ring
	for t := range rows {
		rows[t] = make([]node, states)
	}
	x := new(big.Int)
	offer := func(to *node, from *node, cost *big.Int) {
		if !from.known {
			return
		}
		if x.Add(&from.cost, cost); !to.known || x.Cmp(&to.cost) < 0 {
			to.known = true
			to.cost.Set(x)
		}
	}
	cost, zero := new(big.Int), new(big.Int)
	for t := 0; t <= v.cells; t++ {
		if t%4096 == 0 && v.ctx.Err() != nil {
			return nil, doubt(step, "the check was cut off")
		}
		now := rows[t%(back+1)]
		for s := range now {
			now[s].known = false
		}
		if t == 0 {
			now[p.Begin+1].known = true
			now[p.Begin+1].cost.SetInt64(0)
		} else {
			before := rows[(t-1)%(back+1)]
			for s := range now {
				cost.Mul(stays[s], rate[t-1])
				if s == 0 {
					cost.Sub(cost, earned[t-1])
				}
				offer(&now[s], &before[s], cost)
			}
		}
		for n := range timed {
			w := &timed[n]
			if w.cells > t {
				continue
			}
			before := rows[(t-w.cells)%(back+1)]
			cost.Mul(cost.Sub(&sums[t], &sums[t-w.cells]), w.watts)
			if w.up {
				offer(&now[0], &before[w.state], cost)
			} else {
				offer(&now[w.state], &before[0], cost)
			}
		}
		for n := range instant { // up, then down
			if w := &instant[n]; w.up {
				offer(&now[0], &now[w.state], zero)
			} else {
				offer(&now[w.state], &now[0], zero)
			}
		}
	}
	end := &rows[v.cells%(back+1)][p.End+1]
	if !end.known {
		return nil, doubt(step+".cells", "machines that cannot be in their states are not covered")
	}
	return &end.cost, nil
}

// cellCosts returns, by cell, the least rate and what a machine of the given number of units, its processors, earns at the highest price. Both are multiplied by the length of a cell
// and by the number of cells, which is the length of the horizon. The sums are those of the rates.
func (v *powerView) cellCosts(k *powerCluster, units int) (rate []*big.Int, sums []big.Int, earned []*big.Int) {
	rate, sums, earned = make([]*big.Int, v.cells), make([]big.Int, v.cells+1), make([]*big.Int, v.cells)
	v.eachCell(k.limits, func(cell, first, last int) {
		least, most := k.rate[first], k.paid[first]
		for n := first + 1; n <= last; n++ {
			if k.rate[n].Cmp(least) < 0 {
				least = k.rate[n]
			}
			if k.paid[n].Cmp(most) > 0 {
				most = k.paid[n]
			}
		}
		rate[cell] = new(big.Int).Mul(least, v.length)
		earned[cell] = new(big.Int).Mul(most, v.length)
		earned[cell].Mul(earned[cell], big.NewInt(int64(units)))
		sums[cell+1].Add(&sums[cell], rate[cell])
	})
	return rate, sums, earned
}

// passages lists the ways between on and the states: those that take time, and those that take none, up before down. It returns how many cells they take at most.
func (v *powerView) passages(p *model.MachinePower) (timed, instant []powerPassage, back int) {
	back = 1
	for _, up := range []bool{true, false} {
		for s := range p.Off {
			way := p.Off[s].Down
			if up {
				way = p.Off[s].Up
			}
			early := v.early(way.Time)
			least, _ := v.wholeCells(max(0, way.Time-early))
			_, most := v.wholeCells(way.Time + early)
			for n := least; n <= most; n++ {
				x := powerPassage{s + 1, n, up, v.watts.of(number(way.Power))}
				if n == 0 {
					instant = append(instant, x)
				} else if n <= v.cells {
					timed, back = append(timed, x), max(back, n)
				}
			}
		}
	}
	return timed, instant, back
}

// early is by how much a way that takes the time may be shorter or longer in a schedule: its end is a number near the limits of the horizon, and the checker of schedules allows two units in the last place. It
// counts as none where it is lost in the tolerance of bounds, or where all such ends are numbers and it nearly is.
func (v *powerView) early(time float64) float64 {
	last := func(t float64) float64 { return math.Nextafter(math.Abs(t), math.Inf(1)) - math.Abs(t) }
	unit := max(last(v.from), last(v.to))
	early := 4 * unit
	if time == 0 || early <= 2e-10*time || early <= 1e-8*time && last(v.from) == last(v.to) && math.Mod(time, unit) == 0 {
		return 0
	}
	return early
}

// wholeCells is the number of cells of a time, rounded down and up.
func (v *powerView) wholeCells(time float64) (least, most int) {
	x := new(big.Rat).Mul(number(time), big.NewRat(int64(v.cells), 1))
	x.Quo(x, new(big.Rat).SetFrac(v.length, new(big.Int).Lsh(big.NewInt(1), v.times.digits)))
	if x.Cmp(big.NewRat(int64(v.cells)+1, 1)) >= 0 {
		return v.cells + 1, v.cells + 1
	}
	least = int(new(big.Int).Div(x.Num(), x.Denom()).Int64())
	if most = least; !x.IsInt() {
		most++
	}
	return least, most
}

// eachCell calls yield for each cell with the limits between which it lies: from that at its begin, or the last before, to the last before its end.
func (v *powerView) eachCell(limits []*big.Int, yield func(cell, first, last int)) {
	n := len(limits) - 1 // the last is the end of the horizon
	at, inside := make([]int, n), make([]bool, n)
	for k := range n {
		x := new(big.Int).Mul(limits[k], big.NewInt(int64(v.cells)))
		rest := new(big.Int)
		x.DivMod(x, v.length, rest)
		at[k], inside[k] = int(x.Int64()), rest.Sign() > 0
	}
	first := 0
	for cell := range v.cells {
		for first+1 < n && (at[first+1] < cell || at[first+1] == cell && !inside[first+1]) {
			first++
		}
		last := first
		for last+1 < n && at[last+1] == cell {
			last++
		}
		yield(cell, first, last)
	}
}
