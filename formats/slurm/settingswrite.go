package slurm

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/multifactor"
)

// Lines returns the lines of slurm.conf that state the priorities, such as PriorityWeightAge=1000, in a fixed order. What [ReadSettings] reads of them is the same
// priorities. Weights that are no whole numbers are an error, and so are times that are no whole minutes: Slurm cannot state them.
func Lines(p multifactor.Settings) ([]string, error) {
	var list []string
	var wrong error
	add := func(name, value string) { list = append(list, name+"="+value) }
	for _, w := range []struct {
		name   string
		weight float64
	}{
		{"PriorityWeightAge", p.WeightAge}, {"PriorityWeightAssoc", p.WeightAssoc}, {"PriorityWeightFairshare", p.WeightFairshare}, {"PriorityWeightJobSize", p.WeightJobSize},
		{"PriorityWeightPartition", p.WeightPartition}, {"PriorityWeightQOS", p.WeightQOS}, {"FairShareDampeningFactor", p.Dampening},
	} {
		if w.weight != math.Trunc(w.weight) || w.weight < 0 || w.weight > math.MaxUint32 {
			wrong = fmt.Errorf("%s: expected a whole number from 0 to %d, found %v", w.name, uint32(math.MaxUint32), w.weight)
		}
		add(w.name, strconv.FormatFloat(w.weight, 'f', -1, 64))
	}
	if len(p.WeightTRES) > 0 {
		var parts []string
		for _, w := range p.WeightTRES {
			parts = append(parts, w.TRES+"="+strconv.FormatFloat(w.Weight, 'f', -1, 64))
		}
		add("PriorityWeightTRES", strings.Join(parts, ","))
	}
	for _, t := range []struct {
		name    string
		seconds float64
	}{{"PriorityMaxAge", p.MaxAge}, {"PriorityDecayHalfLife", p.HalfLife}, {"PriorityCalcPeriod", p.CalcPeriod}} {
		minutes := t.seconds / 60
		if minutes != math.Trunc(minutes) || minutes < 0 || minutes > math.MaxInt32 {
			wrong = fmt.Errorf("%s: expected whole minutes, found %v s", t.name, t.seconds)
			continue
		}
		add(t.name, clockText(int(minutes)))
	}
	add("PriorityUsageResetPeriod", multifactor.Periods[p.Reset])
	favour := "NO"
	if p.FavourSmall {
		favour = "YES"
	}
	add("PriorityFavorSmall", favour)
	var flags []string
	for name, set := range flagsOf(&p.Flags) {
		if *set {
			flags = append(flags, name)
		}
	}
	if slices.Sort(flags); len(flags) > 0 {
		add("PriorityFlags", strings.Join(flags, ","))
	}
	return list, wrong
}

// clockText is a time as slurm.conf states it.
func clockText(minutes int) string {
	return fmt.Sprintf("%d-%02d:%02d:00", minutes/(24*60), minutes/60%24, minutes%60)
}

// Changed returns the lines in which the new priorities differ from the old ones. A line that has to go, as slurm.conf takes no empty value, is a comment that says so.
func Changed(from, to multifactor.Settings) ([]string, error) {
	before, err := Lines(from)
	if err != nil {
		return nil, err
	}
	after, err := Lines(to)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, line := range before {
		name, value, _ := strings.Cut(line, "=")
		values[name] = value
	}
	var list []string
	for _, line := range after {
		name, value, _ := strings.Cut(line, "=")
		if old, stated := values[name]; !stated || old != value {
			list = append(list, line)
		}
		delete(values, name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, "# without a line "+name)
	}
	return list, nil
}

// WriteLines writes the lines of slurm.conf that state the priorities.
func WriteLines(w io.Writer, p multifactor.Settings) error {
	list, err := Lines(p)
	if err == nil {
		_, err = io.WriteString(w, strings.Join(list, "\n")+"\n")
	}
	return err
}
