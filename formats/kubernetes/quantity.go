package kubernetes

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// mostQuantity is the largest amount that is read, in thousandths of a core, bytes or pieces.
const mostQuantity = 1 << 60

// suffixes are those of quantities, each a power of 10 or of 2. See https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/.
var suffixes = map[string]struct{ ten, two int }{
	"n": {-9, 0}, "u": {-6, 0}, "m": {-3, 0}, "": {0, 0}, "k": {3, 0}, "M": {6, 0}, "G": {9, 0}, "T": {12, 0}, "P": {15, 0}, "E": {18, 0},
	"Ki": {0, 10}, "Mi": {0, 20}, "Gi": {0, 30}, "Ti": {0, 40}, "Pi": {0, 50}, "Ei": {0, 60},
}

// quantity reads a quantity of Kubernetes, such as 500m, 16Gi or 1e3: thousandths of it where milli is set, else whole units. It is rounded up, as Kubernetes does.
func (x field) quantity(milli bool) int64 {
	if !x.given() {
		return 0
	}
	text := x.v.text
	if x.v.kind != '"' && x.v.kind != '0' {
		x.fault("expected a quantity such as 4, 500m or 16Gi, found %s", lines.KindName(x.v.kind))
		return 0
	}
	n, ok := parseQuantity(text, milli)
	switch {
	case !ok:
		x.fault("expected a quantity such as 4, 500m or 16Gi, found %s", lines.Quote(text))
	case n < 0:
		x.fault("expected a quantity of at least 0, found %s", lines.Quote(text))
	case n > mostQuantity:
		x.fault("expected a smaller quantity, found %s", lines.Quote(text))
	default:
		return n
	}
	return 0
}

// parseQuantity reads a quantity; what is too large to be read is mostQuantity+1.
func parseQuantity(text string, milli bool) (n int64, ok bool) {
	const longest = 64
	if len(text) > longest {
		return 0, false
	}
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '+' && r != '-' })
	if end < 0 {
		end = len(text)
	}
	mantissa, suffix := text[:end], text[end:]
	scale, known := suffixes[suffix]
	if !known && (suffix[0] == 'e' || suffix[0] == 'E') {
		exponent, err := strconv.Atoi(suffix[1:])
		if err != nil || exponent < -99 || exponent > 99 {
			return 0, false
		}
		scale.ten, known = exponent, true
	}
	if !known || strings.LastIndexAny(mantissa, "+-") > 0 || strings.Trim(mantissa, "+-.") == "" {
		return 0, false
	}
	q, ok := new(big.Rat).SetString(mantissa)
	if !ok {
		return 0, false
	}
	if milli {
		scale.ten += 3
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale.ten, -scale.ten))), nil)
	if scale.ten < 0 {
		q.Quo(q, new(big.Rat).SetInt(power))
	} else {
		q.Mul(q, new(big.Rat).SetInt(power))
	}
	q.Mul(q, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(scale.two))))
	whole, rest := new(big.Int).QuoRem(q.Num(), q.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if q.Sign() < 0 {
		return -1, true
	}
	if !whole.IsInt64() || whole.Int64() > mostQuantity {
		return mostQuantity + 1, true
	}
	return whole.Int64(), true
}

// amounts are amounts by resource: "cpu" in thousandths of a core, memory, storage and large pages in bytes, others in pieces.
type amounts map[string]int64

// resourceAmounts reads an object of quantities by resource.
func (x field) resourceAmounts() amounts {
	a := amounts{}
	x.members(func(name string, y field) {
		if n := y.quantity(name == "cpu"); n > 0 {
			a[name] = n
		}
	})
	return a
}

// plus adds amounts; what passes the largest amount stays there.
func (a amounts) plus(b amounts) {
	for name, n := range b {
		a[name] = min(a[name]+n, mostQuantity)
	}
}

// atLeast raises the amounts to those of b where these are larger.
func (a amounts) atLeast(b amounts) {
	for name, n := range b {
		a[name] = max(a[name], n)
	}
}

// less takes amounts away, down to 0, and says whether all of them were there.
func (a amounts) less(b amounts) bool {
	all := true
	for name, n := range b {
		if a[name] < n {
			all = false
		}
		a[name] = max(a[name]-n, 0)
	}
	return all
}

const mebibyte = 1 << 20

// inBytes says that amounts of the resource are bytes, which an instance states in MiB.
func inBytes(name string) bool {
	return name == "memory" || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-")
}

// extended says that the resource is one that a device plugin or an administrator adds, such as nvidia.com/gpu.
func extended(name string) bool {
	domain, _, found := strings.Cut(name, "/")
	return found && domain != "kubernetes.io" && !strings.HasSuffix(domain, ".kubernetes.io")
}
