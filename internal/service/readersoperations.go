//go:build readers

package service

// operations are what the page asks its readers for.
func operations() []Operation {
	return []Operation{
		importing(),
	}
}
