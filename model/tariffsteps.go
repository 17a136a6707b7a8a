package model

// Steps lists price and carbon within a time as step functions: price[k] and carbon[k] hold from times[k] until the next time, the last until the end. The
// first time is the begin. A tariff that is nil has one step of 0. It returns false if the steps are too many to be measured.
//
// Complexity: O(n log n) for n steps within the time.
func (t *Tariff) Steps(from, to float64) (times, price, carbon []float64, ok bool) {
	v, few := t.view(from, to)
	if !few {
		return nil, nil, nil, false
	}
	v.eachNearest(func(time float64, now rates) {
		times, price, carbon = append(times, time), append(price, now.price), append(carbon, now.carbon)
	})
	return times, price, carbon, true
}
