package sim

// Trace is a source of jobs that all lie in memory, in order of arrival.
type Trace struct {
	Jobs []Spec
	at   int
}

// Next implements Source.
func (t *Trace) Next(s *Spec) (bool, error) {
	if t.at == len(t.Jobs) {
		return false, nil
	}
	*s = t.Jobs[t.at]
	t.at++
	return true, nil
}
