package solvetest

import (
	"context"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Each feature case asks for its feature, and every feature that a file can ask for has a case.
func TestFeatureCases(t *testing.T) {
	var all model.Features
	recipes := featureCases()
	for k := range recipes {
		in, err := recipes[k].build.Build()
		if err != nil {
			t.Fatal(err)
		}
		want := features[k/2].feature
		all |= want
		if !in.Features().Has(want) {
			t.Errorf("%s asks for: %s", recipes[k].name, in.Features())
		}
	}
	if want := model.Commitments - 1; all != want {
		t.Errorf("features without a case: %s", want&^all)
	}
}

// blind is a solver that ignores a feature although it claims to honour it.
type blind struct {
	listing
	specs map[string]model.InstanceSpec // by the hash of the instance
	strip func(spec *model.InstanceSpec)
}

func (b *blind) Supports(*model.Instance) error { return nil }

func (b *blind) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	spec := b.specs[in.SHA256()]
	spec.Jobs, spec.Clusters = slices.Clone(spec.Jobs), slices.Clone(spec.Clusters)
	for c := range spec.Clusters {
		spec.Clusters[c].Machines = slices.Clone(spec.Clusters[c].Machines)
	}
	b.strip(&spec)
	seen, err := model.New(spec)
	if err != nil {
		return solve.Result{}, err
	}
	return b.listing.Solve(ctx, seen, opt)
}

// A solver that claims to honour a feature and ignores it fails, for every feature except a background load: a schedule that ignores that is still
// correct.
func TestConformFindsEachIgnoredFeature(t *testing.T) {
	job := func(strip func(job *model.JobSpec)) func(*model.InstanceSpec) {
		return func(spec *model.InstanceSpec) {
			for k := range spec.Jobs {
				strip(&spec.Jobs[k])
			}
		}
	}
	plain := job(func(job *model.JobSpec) { job.Runtime, job.Work = nil, new(1.0) })
	alone := job(func(job *model.JobSpec) { job.Processors, job.Span = model.Rigid(1), "" })
	strips := map[model.Features]func(*model.InstanceSpec){
		model.Arrivals:        job(func(job *model.JobSpec) { job.Arrival = 0 }),
		model.HardDeadlines:   job(func(job *model.JobSpec) { job.DeadlineHard = false }),
		model.Precedence:      job(func(job *model.JobSpec) { job.After = nil }),
		model.MemoryLimits:    job(func(job *model.JobSpec) { job.Memory = 0 }),
		model.LicencePools:    job(func(job *model.JobSpec) { job.Licences = nil }),
		model.BandwidthNeeds:  job(func(job *model.JobSpec) { job.MinBandwidth = 0 }),
		model.ParallelJobs:    alone,
		model.MoldableJobs:    alone,
		model.UnrelatedTimes:  plain,
		model.RestrictedTimes: plain,
		model.MixedMachines: func(spec *model.InstanceSpec) {
			for c := range spec.Clusters {
				for m := range spec.Clusters[c].Machines {
					spec.Clusters[c].Machines[m].Speed = 3
				}
			}
		},
		model.MachineSpan: job(func(job *model.JobSpec) { job.Span = "" }),
		model.GridSpan:    alone,
	}
	recipes := featureCases()
	for k, f := range features {
		strip := strips[f.feature]
		if strip == nil {
			if f.feature != model.BackgroundLoad {
				t.Errorf("nothing ignores: %s", f.feature)
			}
			continue
		}
		t.Run(f.feature.String(), func(t *testing.T) {
			cases, err := casesOf(recipes[2*k : 2*k+2])
			if err != nil {
				t.Fatal(err)
			}
			specs := map[string]model.InstanceSpec{}
			for i := range cases {
				specs[cases[i].in.SHA256()] = *recipes[2*k+i].build.Spec()
			}
			var heard recorder
			conform(&heard, solve.Info{Name: "tried", Doc: "Tried.", New: func() solve.Solver { return &blind{specs: specs, strip: strip} }}, cases)
			expect(t, heard.texts, []string{"a wrong schedule", "Supports has to refuse", f.feature.String()})
		})
	}
}
