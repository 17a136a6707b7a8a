package slots

import "github.com/allot-opt/allot/internal/queue"

// due is a queue of slots, the one whose time comes first at the top.
type due struct {
	slots queue.Placed[*slot]
	time  func(*slot) float64
}

// top is the slot whose time comes first; nil: there is none.
func (d *due) top() *slot {
	if len(d.slots) == 0 {
		return nil
	}
	return d.slots[0]
}

// add puts a slot into the queue.
func (d *due) add(s *slot) {
	s.queue = d
	d.slots.Push(d, s)
}

// remove takes a slot out, if it is in.
func (d *due) remove(s *slot) {
	if s.queue == d {
		s.queue = nil
		d.slots.Remove(d, s.index)
	}
}

// update gives a slot of the queue its place after its time has changed.
func (d *due) update(s *slot) { d.slots.Fix(d, s.index) }

// Before implements [queue.Keeper].
func (d *due) Before(a, b *slot) bool {
	if s, t := d.time(a), d.time(b); s != t {
		return s < t
	}
	return a.number < b.number
}

// Put implements [queue.Keeper].
func (d *due) Put(s *slot, place int) { s.index = place }
