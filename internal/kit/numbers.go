package kit

// Numbers numbers keys from 1 in the order in which they are met. The zero of a key is none, and has the number 0.
type Numbers[K comparable] map[K]int32

// Of is the number of a key.
func (n Numbers[K]) Of(key K) int32 {
	var none K
	if key == none {
		return 0
	}
	number, known := n[key]
	if !known {
		number = int32(len(n) + 1)
		n[key] = number
	}
	return number
}
