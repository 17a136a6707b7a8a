package sweep

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/needs"
)

// A shell reads a quoted word as it was.
func TestQuote(t *testing.T) {
	needs.Program(t, "sh")
	words := []string{"", "plain", "/a/b-c_d.e=f:g,h", "two words", "it's", `"`, `\`, "$HOME", "`id`", "a\nb\n#SBATCH --x", "*", "~", "é", "'", "''", "-", "a;b", "!"}
	script := "printf '%s\\0'"
	for _, word := range words {
		script += " " + Quote(word)
	}
	out, err := exec.Command("sh", "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	if found := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(found, words) {
		t.Errorf("found %q, expected %q", found, words)
	}
	if Quote("/a/b-c_d.e=f:g,h") != "/a/b-c_d.e=f:g,h" {
		t.Error("a plain path is quoted")
	}
}

// Ranges of numbers hold them all and no others.
func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int{"": nil, "3": {3}, "1-4": {1, 2, 3, 4}, "1,3-4,9": {1, 3, 4, 9}} {
		if found := ranges(numbers); found != want {
			t.Errorf("%v: %q", numbers, found)
		}
	}
}

// Numbers of an array end below MaxArraySize.
func TestMostTasks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no shell scripts")
	}
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	for answer, want := range map[string]int{
		"echo 'MaxArrayTasks = 7'; echo 'MaxArraySize            = 4001'": 4000, "echo 'MaxArraySize = many'": 1000, "echo 'MaxArraySize = 99999999999999999999'": 1000, "exit 1": 1000,
	} {
		script := "#!/bin/sh\n[ \"$*\" = 'show config' ] || exit 2\n" + answer + "\n"
		if err := os.WriteFile(filepath.Join(folder, "scontrol"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		if found := MostTasks(t.Context()); found != want {
			t.Errorf("%s: %d, expected %d", answer, found, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if found := MostTasks(t.Context()); found != 1000 {
		t.Errorf("without Slurm: %d", found)
	}
}

// The lines that Slurm reads are the script's own, whatever names and paths hold; what comes first is not a command.
func TestScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		odd := rapid.StringOfN(rapid.SampledFrom([]rune("a /'\"\\$%\n#SBATCH-=é")), 0, 20, -1)
		a := Array{
			Name: odd.Draw(t, "name"), Folder: "/" + odd.Draw(t, "folder"), Logs: "/" + odd.Draw(t, "logs"), Command: []string{"/allot", odd.Draw(t, "argument")},
			Tasks: 7, Only: []int{2, 3, 7}, CPUs: 2,
		}
		var options []string
		lines := strings.Split(a.Script(), "\n")
		if lines[0] != "#!/bin/sh" {
			t.Errorf("it begins with %q", lines[0])
		}
		for _, line := range lines {
			if !strings.HasPrefix(line, "#") {
				break // Slurm reads no options after the first command
			}
			if option, ok := strings.CutPrefix(line, "#SBATCH "); ok {
				options = append(options, option)
			}
		}
		want := []string{"--job-name=" + a.JobName(), "--array=2-3,7", "--cpus-per-task=2", "--output=/dev/null", "--signal=B:USR1@60", "--requeue"}
		if !slices.Equal(options, want) || strings.ContainsAny(a.JobName(), " \n'\"\\$%") {
			t.Errorf("options %q", options)
		}
	})
}

// The jobs of a run folder are noted one after another.
func TestJobs(t *testing.T) {
	a := Array{Logs: t.TempDir()}
	want := []Job{{"12", "", 4}, {"13", "other", 8}}
	if jobs, err := a.Jobs(); err != nil || len(jobs) != 0 {
		t.Errorf("%v, %v", jobs, err)
	}
	for _, job := range want {
		if err := a.Note(job); err != nil {
			t.Fatal(err)
		}
	}
	if jobs, err := a.Jobs(); err != nil || !slices.Equal(jobs, want) {
		t.Errorf("%v, %v", jobs, err)
	}
	for _, wrong := range []string{`{"job":"1"}`, `{"job":"1","tasks":0}`, `{"job":"1","tasks":-4}`, `{"job":"1","tasks":4`} {
		if err := os.WriteFile(filepath.Join(a.Logs, jobsFile), []byte(wrong+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Jobs(); err == nil || !strings.Contains(err.Error(), "jobs.jsonl:1: ") {
			t.Errorf("%s: %v, expected the line that is wrong", wrong, err)
		}
	}
}

// A task is one of the run if it runs the run's script, whatever it is called, or has the run's name, whatever path its script has; what the user's environment hides from squeue counts too.
func TestQueued(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	programs := t.TempDir()
	a := Array{Name: "suite", Logs: filepath.Join(t.TempDir(), "of two\nlines")}
	own := a.ScriptPath()
	answer := "CLUSTER: c\n3 of the user " + own + "\n12 x " + own + "\n4 x /another/job.sh\n5 x " + own + "/job.sh\nN/A x (null)\n6 allot-suite2 (null)\n1 allot-suite /by/another/path/job.sh\n"
	script := "#!/bin/sh\n[ -z \"$SQUEUE_STATES\" ] || exit 1\nfor word; do [ \"$word\" != --jobs=9 ] || { echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1; }; done\nprintf %s " +
		Quote(answer) + "\n"
	if err := os.WriteFile(filepath.Join(programs, "squeue"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SQUEUE_STATES", "RUNNING")
	if tasks, err := a.Queued(t.Context(), Job{"12", "", 16}); err != nil || !slices.Equal(tasks, []int{1, 3, 12}) {
		t.Errorf("%v, %v", tasks, err)
	}
	if tasks, err := a.Queued(t.Context(), Job{"9", "", 16}); err != nil || len(tasks) > 0 {
		t.Errorf("a job that is forgotten: %v, %v", tasks, err)
	}
}
