package tune

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/allot-opt/allot/internal/each"
)

// irace writes what irace reads, see its user guide (M. López-Ibáñez, L. Pérez Cáceres, J. Dubois-Lacoste, T. Stützle, M. Birattari, The irace Package: User Guide), sections 5
// and 11.
func (x *exported) irace() error {
	if x.Question.Seed > math.MaxInt32 {
		return fmt.Errorf("seed: expected at most %d for irace, found %d", math.MaxInt32, x.Question.Seed)
	}
	var parameters, first, second strings.Builder
	fmt.Fprintf(&parameters, "# What is varied of %s: name, switch, type, values, condition.\n", x.Question.Solver)
	digits := 4
	standing := x.space.Default()
	for k := range x.space.Dimensions {
		d := &x.space.Dimensions[k]
		kind, values := "c", strings.Join(each.Of(d.Values, quoted), ",")
		if d.Kind != Categorical {
			kind, values = d.Kind[:1], d.number(d.Low)+","+d.number(d.High)
			if d.Log {
				kind += ",log"
			}
		}
		if d.Kind == Real {
			digits = max(digits, d.decimals())
		}
		fmt.Fprintf(&parameters, "%s %s %s (%s)", d.Name, quoted(d.Name+"="), kind, values)
		if d.When != nil {
			fmt.Fprintf(&parameters, " | %s %%in%% c(%s)", d.When.Name, strings.Join(each.Of(d.When.Values, quoted), ","))
		}
		parameters.WriteString("\n")
		fmt.Fprintf(&first, "%s ", d.Name)
		if standing[k] == "" {
			second.WriteString("NA ")
		} else {
			fmt.Fprintf(&second, "%s ", standing[k])
		}
	}
	test, deterministic := map[Test]string{ByRank: "friedman", ByMean: "t-test"}[x.Question.Test], 0
	if x.Question.Trace != "" {
		deterministic = 1
	}
	var scenario strings.Builder
	fmt.Fprintf(&scenario, `## irace --scenario scenario.txt, in this folder
targetRunner = "./target-runner"
parameterFile = "./parameters.txt"
trainInstancesDir = "./training"
trainInstancesFile = "./instances.txt"
maxExperiments = %d
testType = %s
confidence = %g
deterministic = %d
digits = %d
seed = %d
`, x.runs, quoted(test), dropsAt, deterministic, digits, x.Question.Seed)
	if x.jobs > 1 {
		fmt.Fprintf(&scenario, "parallel = %d\n", x.jobs)
	}
	texts := [][2]string{
		{"parameters.txt", parameters.String()},
		{"instances.txt", strings.Join(x.trainingNames(), "\n") + "\n"},
		{"README.md", x.readme("irace", "irace --scenario scenario.txt",
			"Its last lines of output are the best configurations, as command lines. irace lies in the folder bin of the R package:\n\n"+
				"    Rscript -e 'cat(system.file(\"bin\", \"irace\", package = \"irace\"))'")},
	}
	if len(x.unlikeThem) == 0 {
		scenario.WriteString("configurationsFile = \"./configurations.txt\"\n")
		texts = append(texts, [2]string{"configurations.txt", "# " + x.Question.Solver + " as it stands takes part.\n" +
			strings.TrimSpace(first.String()) + "\n" + strings.TrimSpace(second.String()) + "\n"})
	}
	if len(x.forbidden) > 0 {
		scenario.WriteString("forbiddenFile = \"./forbidden.txt\"\n")
		var forbidden strings.Builder
		for _, settings := range x.forbidden {
			forbidden.WriteString(strings.Join(each.Of(settings, func(s setting) string { return "(" + s.name + " == " + quoted(s.value) + ")" }), " & ") + "\n")
		}
		texts = append(texts, [2]string{"forbidden.txt", forbidden.String()})
	}
	texts = append(texts, [2]string{"scenario.txt", scenario.String()})
	var all error
	for _, text := range texts {
		all = errors.Join(all, x.writeText(text[0], text[1]))
	}
	return errors.Join(all, x.writeProgram("target-runner", `#!/bin/sh
# irace calls this with the numbers of the configuration and the instance, a seed, the instance and the parameters. It prints what is to be minimised.
exec "${ALLOT:-allot}" tune run "$(dirname "$0")" "$@"
`))
}

// quoted is a text in double quotes; it has none itself, see exportable.
func quoted(text string) string { return `"` + text + `"` }

// decimals is the number of decimal places that state the numbers of the interval to four digits; at most 15, the most that irace takes.
func (d *Dimension) decimals() int {
	least := math.Inf(1)
	for _, end := range []float64{d.Low, d.High, (d.High - d.Low) / 10} {
		if end != 0 {
			least = min(least, math.Abs(end))
		}
	}
	return min(15, max(4, 3-int(math.Floor(math.Log10(least)))))
}
