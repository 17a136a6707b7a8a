package ggone

// selectSmallest rearranges v so that its n smallest, at least one, come first and returns their sum and the largest of them.
// Complexity: O(len(v)) expected; the pivot is the median of three, so that no random numbers are drawn.
func selectSmallest(v []float64, n int) (sum, largest float64) {
	low, high := 0, len(v)-1
	k := n - 1
	for low < high {
		// median of three
		mid := int(uint(low+high) / 2)
		if v[mid] < v[low] {
			v[mid], v[low] = v[low], v[mid]
		}
		if v[high] < v[low] {
			v[high], v[low] = v[low], v[high]
		}
		if v[high] < v[mid] {
			v[high], v[mid] = v[mid], v[high]
		}
		if high-low <= 2 {
			break // the three are in order
		}
		pivot := v[mid]
		i, j := low, high
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		if k <= j {
			high = j
		} else if k >= i {
			low = i
		} else {
			break
		}
	}
	for _, x := range v[:n] {
		sum += x
	}
	return sum, v[k]
}
