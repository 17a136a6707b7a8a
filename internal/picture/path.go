package picture

// Spot is a place on a canvas, in points of 1/72 inch from its lower left corner.
type Spot struct{ X, Y float64 }

// Path is a line of pieces, or the outline of an area.
type Path []part

// part is the next part of a path.
type part struct {
	kind    kind
	to      Spot // unless it closes the path
	control Spot // of a curve
}

type kind int

const (
	move  kind = iota // begin a new piece there
	line              // go there straight
	curve             // go there on a quadratic curve of Bézier
	shut              // go back to where the piece began
)

// Move begins a new piece.
func (p *Path) Move(to Spot) { *p = append(*p, part{kind: move, to: to}) }

// Line adds a straight line. A path may begin with it, at its end.
func (p *Path) Line(to Spot) {
	if len(*p) == 0 {
		p.Move(to)
		return
	}
	*p = append(*p, part{kind: line, to: to})
}

// curve adds a quadratic curve of Bézier.
func (p *Path) curve(control, to Spot) { *p = append(*p, part{kind: curve, to: to, control: control}) }

// Close ends a piece where it began.
func (p *Path) Close() { *p = append(*p, part{kind: shut}) }
