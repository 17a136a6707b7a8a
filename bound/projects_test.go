package bound

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/realdata"
	"github.com/allot-opt/allot/model"
)

// project reads an instance of PSPLIB in Patterson's form: numbers of activities and resources, capacities, then for each activity its
// duration, its needs, and those that wait for it. The first and the last activity are dummies and left out. Resources are licences, and the
// one cluster has a processor for each job.
func project(t testing.TB, name string, file io.Reader) *model.Instance {
	t.Helper()
	from := bufio.NewReader(file)
	number := func() (x int) {
		if _, err := fmt.Fscan(from, &x); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return x
	}
	n, resources := number(), number()
	b := model.NewBuilder(name).Cluster(of("c", n-2))
	b.Spec().Licences = map[string]int{}
	for k := range resources {
		b.Spec().Licences[fmt.Sprint("r", k)] = number()
	}
	jobs := make([]model.JobSpec, n)
	for j := range jobs {
		jobs[j].ID, jobs[j].Work, jobs[j].Licences = fmt.Sprint("j", j), new(float64(number())), map[string]int{}
		for k := range resources {
			jobs[j].Licences[fmt.Sprint("r", k)] = number()
		}
		for range number() {
			if next := number() - 1; j > 0 {
				jobs[next].After = append(jobs[next].After, fmt.Sprint("j", j))
			}
		}
	}
	in, err := b.Job(jobs[1 : n-1]...).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// projects reads the instances of a set: J30, J60 or J120.
func projects(t testing.TB, set string) map[string]*model.Instance {
	t.Helper()
	file, err := os.Open(realdata.Path(t, "rcpsp", set+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	all, archive := map[string]*model.Instance{}, tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(header.Name, ".txt") {
			name := header.Name[strings.LastIndex(header.Name, "/")+1:]
			all[name] = project(t, name, archive)
		}
	}
}

// projectProofs runs a proof of about the work on each k-th instance of the set, or until it reaches the best known makespan. It returns how
// many do, by method, and for how many the proof comes upon a schedule as well. No bound may be above the best known makespan.
func projectProofs(t testing.TB, set string, every int, work int64) (tried int, proved map[string]int) {
	t.Helper()
	ctx, instances := context.Background(), projects(t, set)
	proved = map[string]int{}
	for _, row := range realdata.Table(t, "rcpsp", "best_known.csv") {
		if row["set"] != set {
			continue
		}
		if tried++; tried%every != 0 {
			continue
		}
		best := row.Number(t, "ub")
		proof := New(ctx, instances[row["file"]])
		const step = 20_000_000
		for done, more := int64(0), true; done < work && more; done += step {
			more = proof.Improve(ctx, step)
		}
		for _, part := range proof.Parts() {
			if part.Value > best {
				t.Errorf("%s: %s proves %v, the best known makespan is %v", row["file"], part.Method, part.Value, best)
			}
			if part.Value == best {
				proved[part.Method]++
			}
		}
		if value, _ := proof.Bound().Value(); value == best {
			proved["any"]++
		}
		if _, ok := proof.Order(); ok {
			proved["with a schedule"]++
			if value, _ := proof.Bound().Value(); value < best {
				t.Errorf("%s: the proof came upon a schedule of %v, the best known makespan is %v", row["file"], value, best)
			}
		}
	}
	return tried / every, proved
}

// On PSPLIB no bound is above the best known makespan, and about as many are proved as today.
func TestProofsOfProjects(t *testing.T) {
	for _, c := range []struct {
		set                    string
		every                  int
		any, scheduled, narrow int // of those tried: proved, with a schedule, and proved by windows alone
	}{{"J30", 6, 15, 15, 12}, {"J60", 4, 18, 18, 16}, {"J120", 20, 6, 4, 6}} {
		tried, proved := projectProofs(t, c.set, c.every, 400_000_000)
		t.Logf("%s: of %d: %v", c.set, tried, proved)
		if proved["any"] < c.any || proved["with a schedule"] < c.scheduled || proved["destructive"] < c.narrow {
			t.Errorf("%s: of %d proofs %v reach the best known makespan, expected %+v", c.set, tried, proved, c)
		}
	}
}

// BenchmarkProjects proves makespans of PSPLIB: about a second, and about three, for each instance.
func BenchmarkProjects(b *testing.B) {
	for _, set := range []string{"J30", "J60", "J120"} {
		for _, seconds := range []int64{1, 3} {
			b.Run(fmt.Sprintf("set=%s/work=%ds", set, seconds), func(b *testing.B) {
				for b.Loop() {
					tried, proved := projectProofs(b, set, 1, seconds*1e9)
					b.ReportMetric(float64(tried), "instances")
					for _, of := range []string{"any", "with a schedule", "destructive", "energetic"} {
						b.ReportMetric(float64(proved[of]), strings.ReplaceAll("proved-"+of, " ", "-"))
					}
				}
			})
		}
	}
}
