package place

import "github.com/allot-opt/allot/model"

// points is the highest of the scores of the published simulator, which are whole numbers from 0 to points. Rounding them down makes equal scores of
// close ones, so that the order of the machines decides among these.
const points = 100

// scale measures what machines have free and what blocks need in the dimensions of the published rules, as shares of the most that one machine of the
// site has: each resource that does not come in devices, and all devices together. Where no resource but devices is stated, processors are a dimension.
type scale struct {
	site       *Site
	resources  []int // those that do not come in devices
	devices    []int // those that do
	processors bool
	most       []float64 // by dimension
}

func newScale(s *Site) *scale {
	c := &scale{site: s}
	for r, resource := range s.in.Resources() {
		if resource.Devices {
			c.devices = append(c.devices, r)
		} else {
			c.resources = append(c.resources, r)
		}
	}
	c.processors = len(c.resources) == 0
	c.most = make([]float64, c.dimensions())
	for _, g := range s.groups {
		c.each(func(r int) model.Amount { return g.machine.Amount(r) }, g.machine.Units, func(d int, amount float64) {
			c.most[d] = max(c.most[d], amount)
		})
	}
	return c
}

func (c *scale) dimensions() int {
	n := len(c.resources)
	if c.processors {
		n++
	}
	if len(c.devices) > 0 {
		n++
	}
	return n
}

// each hands over the amount in each dimension.
func (c *scale) each(amount func(resource int) model.Amount, processors int, yield func(dimension int, amount float64)) {
	d := 0
	for _, r := range c.resources {
		yield(d, float64(amount(r)))
		d++
	}
	if c.processors {
		yield(d, float64(processors))
		d++
	}
	if len(c.devices) > 0 {
		all := model.Amount(0)
		for _, r := range c.devices {
			all += amount(r)
		}
		yield(d, float64(all))
	}
}

// sum adds up, over the dimensions that some machine has, what of gives for the shares that are free and needed; it divides by their number.
func (c *scale) sum(f *Free, k *Kind, of func(free, need float64) float64) float64 {
	free := make([]float64, len(c.most))
	c.each(func(r int) model.Amount { return f.Amounts[r] }, f.Free, func(d int, amount float64) { free[d] = amount })
	total, dimensions := 0.0, 0
	c.each(k.Node.Need, c.site.size(k, c.site.index(f.Machine)), func(d int, amount float64) {
		if most := c.most[d]; most > 0 {
			total += of(free[d]/most, amount/most)
			dimensions++
		}
	})
	return total / float64(max(1, dimensions))
}

// index is the place of the machine among those of the site.
func (s *Site) index(m *Machine) int { return s.begin[m.Cluster] + m.Number }
