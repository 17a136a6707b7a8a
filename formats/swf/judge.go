package swf

import "github.com/allot-opt/allot/model"

// oddity is something odd about a job. What is repaired or kept is counted only if the job is not dropped for another
// reason, so that the jobs read are those kept and those counted as dropped.
type oddity struct {
	action model.ImportAction
	reason string
}

// judge keeps or drops a job that has been parsed.
func (t *trace) judge(line int, values *record) {
	j := job{number: int64(values[jobNumber]), line: line, estimate: -1}
	switch partial := isPartial(t.fields); {
	case partial && j.number >= 0 && j.number == t.whole:
		t.report.NoteLine(model.ImportDropped, "a part of the job above it, which the line of the whole job counts", line)
		return
	case !partial:
		t.whole = j.number
	}
	if !(t.judgeSubmit(&j, values) && t.judgeRuntime(&j, values) && t.judgeProcessors(&j, values)) {
		last := t.oddity[len(t.oddity)-1]
		t.report.NoteLine(last.action, last.reason, line)
		return
	}
	t.judgeEstimate(&j, values)
	t.judgeMemory(&j, values)
	for k, field := range [...]int{userNumber, groupNumber, queueNumber} {
		j.names[k] = int64(max(values[field], -1))
	}
	if t.copies != nil { // not in a stream, whose memory it would fill
		t.copies[j.number]++
	}
	if j.copy = t.copies[j.number]; j.copy > 1 {
		t.repaired("job number not unique: a suffix is appended")
	}
	for _, o := range t.oddity {
		t.report.NoteLine(o.action, o.reason, line)
	}
	t.report.Kept++
	t.jobs = append(t.jobs, j)
}

// isPartial says whether a line is of a part of a job between two checkpoints: its status is 2, 3 or 4. Such lines stand behind that of the whole job, where there is one.
func isPartial(fields [][]byte) bool {
	const status = 10
	if len(fields) <= status || len(fields[status]) != 1 {
		return false
	}
	digit := fields[status][0]
	return '2' <= digit && digit <= '4'
}

// dropped ends the judgement of a job.
func (t *trace) dropped(reason string) bool {
	t.oddity = append(t.oddity, oddity{model.ImportDropped, reason})
	return false
}

// repaired says how a value is replaced.
func (t *trace) repaired(reason string) bool {
	t.oddity = append(t.oddity, oddity{model.ImportRepaired, reason})
	return true
}

// kept records what is odd about a job that is kept unchanged.
func (t *trace) kept(reason string) bool {
	t.oddity = append(t.oddity, oddity{model.ImportKept, reason})
	return true
}

// judgeSubmit decides the submit time.
func (t *trace) judgeSubmit(j *job, values *record) bool {
	j.submit = values[submitTime]
	previous := t.submit
	switch {
	case t.opt.Batch:
		return true
	case j.submit >= 0 && j.submit >= previous:
		t.submit = j.submit
		return true
	case j.submit >= 0:
		t.submit = j.submit
		return t.kept("submit time before that of the job above it")
	case t.opt.UnknownSubmit == repair && previous >= 0:
		j.submit = previous
		return t.repaired("submit time unknown: that of the job above it is taken")
	default:
		return t.dropped("submit time unknown")
	}
}

// judgeRuntime decides the run time.
func (t *trace) judgeRuntime(j *job, values *record) bool {
	j.runtime = values[runTime]
	switch {
	case j.runtime > 0:
		return true
	case j.runtime == 0:
		return t.zeroRuntime(j)
	case t.opt.UnknownRuntime != repair:
		return t.dropped("run time unknown")
	case values[averageCPUTime] > 0:
		j.runtime = values[averageCPUTime]
		return t.repaired("run time unknown: the average CPU time is taken")
	case values[requestedTime] > 0:
		j.runtime = values[requestedTime]
		return t.repaired("run time unknown: the requested time is taken")
	default:
		return t.dropped("run time, average CPU time and requested time unknown")
	}
}

// zeroRuntime decides about a run time of 0, which after rounding is anything below half a second.
func (t *trace) zeroRuntime(j *job) bool {
	switch t.opt.ZeroRuntime {
	case keep:
		return t.kept("run time 0")
	case repair:
		j.runtime = 1
		return t.repaired("run time 0: 1 s is taken")
	default:
		return t.dropped("run time 0")
	}
}

// judgeProcessors decides the number of processors.
func (t *trace) judgeProcessors(j *job, values *record) bool {
	n, other := values[allocatedProcessors], values[requestedProcessors]
	instead := "allocated processors unknown: the requested are taken"
	if t.opt.PreferRequested {
		n, other = other, n
		instead = "requested processors unknown: the allocated are taken"
	}
	switch {
	case n > 0:
	case other > 0:
		n = other
		t.kept(instead)
	case t.opt.UnknownProcessors == repair:
		n = 1
		t.repaired("processors unknown: 1 is taken")
	default:
		return t.dropped("processors unknown")
	}
	j.processors = int32(n)
	if int(n) <= t.width {
		return true
	}
	switch t.opt.TooWide {
	case keep:
		return t.kept("more processors than the system has")
	case repair:
		j.processors = int32(t.width)
		return t.repaired("more processors than the system has: all of the system's are taken")
	default:
		return t.dropped("more processors than the system has")
	}
}

// judgeEstimate decides which time counts as the user's estimate.
func (t *trace) judgeEstimate(j *job, values *record) {
	requested := values[requestedTime]
	switch {
	case t.opt.Estimates == ignoreEstimates:
	case requested <= 0:
		t.kept("requested time unknown: no estimate")
	case requested >= j.runtime:
		j.estimate = requested
	case t.opt.Estimates == raiseEstimates:
		j.estimate, j.requested = j.runtime, requested
		t.repaired("run time above the requested time: the estimate is raised to it")
	default:
		j.estimate = requested
		t.kept("run time above the requested time")
	}
}

// judgeMemory decides the memory per processor.
func (t *trace) judgeMemory(j *job, values *record) {
	if t.opt.Memory == memoryNone {
		return
	}
	field := usedMemory
	if t.opt.Memory == memoryRequested {
		field = requestedMemory
	}
	if values[field] < 0 {
		t.kept(fieldNames[field] + " unknown: no memory")
		return
	}
	j.memory = values[field]
}
