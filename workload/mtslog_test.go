package workload_test

import (
	"testing"

	"github.com/allot-opt/allot/workload"
)

// The log's submissions and run times are the same for all seeds; what is drawn keeps to the ranges of Hao (2016), §4.1 and §4.4.
func TestMTSLog(t *testing.T) {
	w := workload.Default[workload.MTSLog]()
	w.Jobs = 500
	one, err := w.Generate(1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := w.Generate(2)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(one.Jobs()); n < 490 || n > 500 || n != len(two.Jobs()) || len(one.Clusters()) != 14 {
		t.Fatalf("%d and %d jobs, %d resources", n, len(two.Jobs()), len(one.Clusters()))
	}
	drawn := 0
	for k := range one.Jobs() {
		a, b := &one.Jobs()[k], &two.Jobs()[k]
		if a.Arrival != b.Arrival || a.Work != b.Work {
			t.Fatalf("job %s differs between seeds: %v, %v", a.ID, a, b)
		}
		if ratio := (a.Deadline - a.Arrival) / a.Work; !a.DeadlineHard || ratio < 1 || ratio > 2 {
			t.Fatalf("job %s: deadline after %v run times", a.ID, ratio)
		}
		if a.Deadline != b.Deadline && a.Memory != b.Memory {
			drawn++
		}
	}
	if drawn != len(one.Jobs()) {
		t.Errorf("only %d jobs differ between seeds", drawn)
	}
}

// Files of a part of the jobs leave everything else as it is.
func TestMTSLogFiles(t *testing.T) {
	plain, err := (&workload.MTSLog{Jobs: 500, Resources: 3}).Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	filed, err := (&workload.MTSLog{Jobs: 500, Resources: 3, Q: 0.5}).Generate(7)
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for k := range plain.Jobs() {
		a, b := plain.Jobs()[k], filed.Jobs()[k]
		if b.Input > 0 {
			with++
			if b.Input < 5 || b.Input > 15 {
				t.Errorf("job %s has files of %v", b.ID, b.Input)
			}
		}
		if a.Input != 0 || a.Work != b.Work || a.Memory != b.Memory || a.Deadline != b.Deadline || a.MinBandwidth != b.MinBandwidth {
			t.Fatalf("job %s is another one", a.ID)
		}
	}
	if with < 200 || with > 300 {
		t.Errorf("%d of 500 jobs have files, want about half", with)
	}
}
