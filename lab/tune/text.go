package tune

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/texttable"
	"github.com/allot-opt/allot/lab"
)

// raceText says where a race stands.
func raceText(iteration, alive, heats int) string {
	return fmt.Sprintf("race %d: %s after %s", iteration, numtext.Counted(alive, "candidate"), numtext.Counted(heats, "heat"))
}

// lineWidth is the width of the text.
const lineWidth = 80

// Text is the answer for people. The first line is what to paste, or says what to keep. What the trace leaves out, see Caveats, whoever writes it says apart.
func (a *Answer) Text() string {
	var b strings.Builder
	b.WriteString(a.headline() + "\n\n")
	for _, sentence := range a.About {
		b.WriteString(texttable.Wrap(sentence+"\n", lineWidth, ""))
	}
	for k, sentence := range a.sentences() {
		if k > 0 || len(a.About) > 0 {
			b.WriteString("\n")
		}
		b.WriteString(texttable.Wrap(sentence, lineWidth, ""))
	}
	if len(a.Steps) > 1 {
		b.WriteString("\nWhat made the difference, in the races:\n")
		width := 24
		if a.SlurmConf != nil {
			width = 46
		}
		for _, step := range a.Steps {
			fmt.Fprintf(&b, "  %-*s %s\n", width, a.stepTitle(&step), ratioText(step.Training))
		}
	}
	a.SlurmConf.text(&b, a)
	return b.String()
}

// headline is the answer in a line.
func (a *Answer) headline() string {
	switch {
	case a.Keep:
		return "keep " + a.base()
	case a.SlurmConf != nil:
		return fmt.Sprintf("change %s of slurm.conf", numtext.Counted(len(a.SlurmConf.Lines), "line"))
	}
	return a.Recommended
}

// base names the choice as it stands.
func (a *Answer) base() string {
	if a.SlurmConf != nil {
		return "your " + standingConf
	}
	return a.Question.Solver
}

// found names what was found.
func (a *Answer) found() string {
	if a.SlurmConf != nil {
		return changedConf
	}
	return a.Found
}

// sentences explain the answer, the most important first.
func (a *Answer) sentences() []string {
	list := []string{a.verdict()}
	if text := lab.QueuesText(a.Question.Queues); text != "" {
		list[0] += " The policies keep" + strings.TrimPrefix(text, ";") + "."
	}
	if a.Withheld {
		return list
	}
	if a.HeldOut == nil {
		return append(list, a.effort())
	}
	list = append(list, a.overstatement()...)
	if a.Policies != nil {
		if r := a.Policies.Answer(); len(r) > 1 {
			list = append(list, "On the part that was set aside: "+strings.Join(r[1:], " "))
		}
	}
	return append(list, a.effort())
}

// finding says where the choice that is judged comes from: without races it was given, see [Frozen.Judge].
func (a *Answer) finding() string {
	if len(a.Races) == 0 && a.SlurmConf != nil {
		return "A changed slurm.conf was judged"
	}
	if len(a.Races) == 0 {
		return "What was judged is " + a.found()
	}
	if a.SlurmConf != nil {
		return "The races found a changed slurm.conf"
	}
	return "The races found " + a.found()
}

// verdict says what is shown.
func (a *Answer) verdict() string {
	if a.Withheld {
		return fmt.Sprintf("Keep %s: nothing was tried.", a.base())
	}
	if a.HeldOut == nil && len(a.Races) == 0 {
		return fmt.Sprintf("Keep %s: it was to be judged against itself.", a.base())
	}
	if a.HeldOut == nil {
		return fmt.Sprintf("Keep %s: the races found nothing better.", a.base())
	}
	if a.HeldOut.Ratio == nil {
		return fmt.Sprintf("Keep %s. %s, %s.", a.base(), a.finding(), a.unlikened())
	}
	gain := fmt.Sprintf("%s: %s is %s that of %s", a.where(), a.Question.Metric, ratioText(a.HeldOut), a.base())
	cases := fmt.Sprintf("; of %s %s have less and %s more", numtext.CountedGrouped(a.HeldOut.Cases, a.thing()), numtext.Grouped(strconv.Itoa(a.HeldOut.Better)), numtext.Grouped(strconv.Itoa(a.HeldOut.Worse)))
	switch {
	case !a.Keep:
		return fmt.Sprintf("The gain of %s holds %s%s.", a.found(), gain, cases)
	case a.HeldOut.Low == nil:
		return fmt.Sprintf("Keep %s. %s, but what was set aside is too little to tell whether it holds. %s%s.", a.base(), a.finding(), capital(gain), cases)
	case *a.HeldOut.Low > 1:
		return fmt.Sprintf("Keep %s. %s, which does worse %s%s.", a.base(), a.finding(), gain, cases)
	}
	return fmt.Sprintf("Keep %s. %s, but no gain is shown %s%s.", a.base(), a.finding(), gain, cases)
}

// unlikened says why there is no ratio on what was set aside.
func (a *Answer) unlikened() string {
	g, all := a.HeldOut, numtext.CountedGrouped(a.HeldOut.Cases, a.thing())
	switch {
	case g.Cases == 0:
		return fmt.Sprintf("but the two cannot be compared %s: they leave out different %ss", a.where(), a.thing())
	case g.Better+g.Worse == 0:
		return fmt.Sprintf("which changes nothing %s: %s is the same for %s", a.where(), a.Question.Metric, all)
	}
	return fmt.Sprintf("but no gain is shown %s: there is no ratio of %s to that of %s, which is 0 or none; of %s %d have less and %d more", a.where(), a.Question.Metric, a.base(), all, g.Better, g.Worse)
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// where is the part that was set aside.
func (a *Answer) where() string {
	if a.Question.Trace != "" {
		return "on the last part of the trace, which the races did not see"
	}
	return "on the instances that the races did not see"
}

// thing is what the judgement counts.
func (a *Answer) thing() string {
	if a.Question.Trace != "" {
		return "job"
	}
	return "instance"
}

// overstatement compares the gain in the races with the one that counts.
func (a *Answer) overstatement() []string {
	if a.Training == nil || a.Training.Ratio == nil || a.HeldOut.Ratio == nil {
		return nil
	}
	text := fmt.Sprintf("In the races it was %s", ratioText(a.Training))
	if more := *a.HeldOut.Ratio - *a.Training.Ratio; more > 0.0005 {
		text += fmt.Sprintf(": they overstated the gain by %s points of 100, as the best of many looks better than it is", numtext.Significant(100*more, 2))
	}
	return []string{text + "."}
}

// effort says what was done.
func (a *Answer) effort() string {
	if len(a.Races) == 0 {
		return fmt.Sprintf("%s; seed %d.", numtext.CountedGrouped(a.Runs, "run"), a.Question.Seed)
	}
	most := 0
	for _, r := range a.Races {
		most = max(most, r.Candidates)
	}
	return fmt.Sprintf("%s in %s, with up to %s at a time, on %s; seed %d.", numtext.CountedGrouped(a.Runs, "run"), numtext.Counted(len(a.Races), "race"),
		numtext.CountedGrouped(most, "candidate"), numtext.CountedGrouped(len(a.Question.Training), map[bool]string{true: "window", false: "instance"}[a.Question.Trace != ""]), a.Question.Seed)
}

// ratioText is a ratio with its interval.
func ratioText(g *Gain) string {
	switch {
	case g == nil || g.Ratio == nil:
		return "in no known ratio to"
	case g.Low == nil:
		return fmt.Sprintf("%.3f times", *g.Ratio)
	case math.IsInf(*g.High, 1):
		return fmt.Sprintf("%.3f times (no interval)", *g.Ratio)
	}
	return fmt.Sprintf("%.3f times [%.3f, %.3f]", *g.Ratio, *g.Low, *g.High)
}

// stepTitle says what a step changes.
func (a *Answer) stepTitle(s *Step) string {
	name, values := a.terms(s.Parameter, s.From, s.To)
	return name + " " + strings.Join(kit.That([]string{values[0], "→", values[1]}, func(x string) bool { return x != "" }), " ")
}
