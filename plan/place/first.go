package place

// First is the name of the rule that takes the first machine.
const First = "first"

var _ = Register(Rule{
	Name:   First,
	Doc:    "the fastest machine, of equal speed the first",
	Source: "allot",
})
