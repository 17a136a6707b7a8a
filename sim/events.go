package sim

// event is the end of a part of a job.
type event struct {
	time   float64
	order  int64 // of starting, so that events of one time have a fixed order
	handle int32
	part   int32
}

// before is the order of events.
func (a *event) before(b *event) bool {
	return a.time < b.time || a.time == b.time && a.order < b.order
}

// events is a heap of events, the earliest first. Four children a node make it flatter, so that an event passes fewer cache
// lines on its way.
type events []event

// push adds an event.
func (h *events) push(e event) {
	*h = append(*h, e)
	list := *h
	k := len(list) - 1
	for k > 0 {
		parent := (k - 1) / 4
		if !e.before(&list[parent]) {
			break
		}
		list[k] = list[parent]
		k = parent
	}
	list[k] = e
}

// pop removes the earliest event.
func (h *events) pop() event {
	list := *h
	first, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	if len(list) == 0 {
		return first
	}
	k := 0
	for {
		child := 4*k + 1
		if child >= len(list) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(list)); c++ {
			if list[c].before(&list[least]) {
				least = c
			}
		}
		if !list[least].before(&last) {
			break
		}
		list[k] = list[least]
		k = least
	}
	list[k] = last
	return first
}
