package papers

import "io"

// WriteReport writes the page.
func (o *Outcome) WriteReport(w io.Writer) error { _, err := io.WriteString(w, "TODO"); return err }
