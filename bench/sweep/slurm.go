// Package sweep runs a suite as a job array of Slurm: it writes the batch script, submits it and asks which of its tasks wait or run.
package sweep

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/model"
)

// Array is a job array whose task K runs shard K/Tasks of a suite.
type Array struct {
	Name    string   // of the job; only letters, digits and -_. are kept
	Folder  string   // absolute: the folder that the tasks begin in
	Logs    string   // absolute: the folder that task K writes the file K.out to
	Command []string // the program and its arguments, without the shard
	Tasks   int      // number of shards
	Only    []int    // the tasks to submit, in increasing order
	CPUs    int      // processors of each task
}

// warning is how many seconds before its limit of time a task is told to end.
const warning = 60

// Script returns the batch script. Nothing of it but the name of the job depends on how Slurm reads its comments: paths are in the part that the shell reads.
func (a *Array) Script() string {
	var s strings.Builder
	s.WriteString("#!/bin/sh\n# Written by allot bench slurm: each task of the array runs one shard of a suite.\n")
	for _, option := range []string{
		"--job-name=" + a.JobName(), "--array=" + ranges(a.Only), fmt.Sprintf("--cpus-per-task=%d", a.CPUs), "--output=/dev/null",
		fmt.Sprintf("--signal=B:USR1@%d", warning), "--requeue",
	} {
		s.WriteString("#SBATCH " + option + "\n")
	}
	s.WriteString("exec >>" + Quote(a.Logs) + `/"$SLURM_ARRAY_TASK_ID".out 2>&1` + "\n")
	s.WriteString("cd " + Quote(a.Folder) + " || exit\n")
	s.WriteString("# In place of the shell, so that Slurm's signal reaches it: what runs is cut short then, and has no row.\nexec")
	for _, word := range a.Command {
		s.WriteString(" " + Quote(word))
	}
	fmt.Fprintf(&s, ` --shard "$SLURM_ARRAY_TASK_ID/%d"`+"\n", a.Tasks)
	return s.String()
}

// ScriptPath is where the batch script is, among the logs. Slurm states this path for each task, which shows the tasks that belong to the run.
func (a *Array) ScriptPath() string { return filepath.Join(a.Logs, "job.sh") }

// odd matches the characters that the name of a job must not have.
var odd = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// JobName returns the name of the job.
func (a *Array) JobName() string { return "allot-" + odd.ReplaceAllString(a.Name, "_") }

// Quote quotes a word for a shell, if that is needed.
func Quote(word string) string {
	if word != "" && !odd.MatchString(strings.NewReplacer("/", "", "=", "", ":", "", ",", "").Replace(word)) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ranges writes increasing numbers as Slurm does, such as 1-4,7.
func ranges(numbers []int) string {
	var parts []string
	for k := 0; k < len(numbers); {
		last := k
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		part := strconv.Itoa(numbers[k])
		if last > k {
			part += "-" + strconv.Itoa(numbers[last])
		}
		parts = append(parts, part)
		k = last + 1
	}
	return strings.Join(parts, ",")
}

// usualArray is Slurm's default of MaxArraySize.
const usualArray = 1001

// MostTasks returns the largest number of tasks of an array. Tasks count from 1, and Slurm's numbers end below MaxArraySize. If Slurm cannot be
// asked, it is the number for Slurm's default configuration.
func MostTasks(ctx context.Context) int {
	text, err := exec.CommandContext(ctx, "scontrol", "show", "config").Output()
	if err == nil {
		if found := regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`).FindSubmatch(text); found != nil {
			if size, err := strconv.Atoi(string(found[1])); err == nil {
				return size - 1
			}
		}
	}
	return usualArray - 1
}

// Job is a job array that was submitted.
type Job struct {
	ID      string `json:"job"`
	Cluster string `json:"cluster,omitempty"`   // absent: the one that commands ask by default
	Tasks   int    `json:"tasks" check:"count"` // number of shards
}

// Submit submits a batch script with options of sbatch and returns the job.
func Submit(ctx context.Context, script string, tasks int, options []string) (Job, error) {
	out, err := run(ctx, "sbatch", append(append([]string{"--parsable"}, options...), script)...)
	if err != nil {
		return Job{}, err
	}
	line := strings.TrimSpace(out)
	id, cluster, _ := strings.Cut(line[strings.LastIndexByte(line, '\n')+1:], ";")
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return Job{}, fmt.Errorf("sbatch: expected the number of a job, found %q", out)
	}
	return Job{id, cluster, tasks}, nil
}

// Queued returns the tasks of the job that wait, run or are about to end. A job that Slurm does not know any more has none. As Slurm uses the numbers
// of old jobs again, only tasks count that have the run's name or its script: options of sbatch may have changed the one, and the folder may have been
// called by another path when they were submitted.
func (a *Array) Queued(ctx context.Context, job Job) ([]int, error) {
	arguments := []string{"--noheader", "--array", "--jobs=" + job.ID, "--format=%K %j %o"}
	if job.Cluster != "" {
		arguments = append(arguments, "--clusters="+job.Cluster)
	}
	out, err := run(ctx, "squeue", arguments...)
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") {
			return nil, nil
		}
		return nil, err
	}
	var tasks []int
	const own = "\x00" // no path has it
	for line := range strings.Lines(strings.ReplaceAll(out, " "+a.ScriptPath()+"\n", " "+own+"\n")) {
		number, rest, _ := strings.Cut(line, " ")
		name, _, _ := strings.Cut(rest, " ")
		if task, err := strconv.Atoi(number); err == nil && (name == a.JobName() || strings.HasSuffix(rest, " "+own+"\n")) {
			tasks = append(tasks, task)
		}
	}
	slices.Sort(tasks)
	return tasks, nil
}

// run runs a command of Slurm and returns what it prints.
func run(ctx context.Context, name string, arguments ...string) (string, error) {
	var stderr strings.Builder
	command := exec.CommandContext(ctx, name, arguments...)
	command.Stderr = &stderr
	command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "SQUEUE_") // such as SQUEUE_STATES, which hides tasks
	})
	out, err := command.Output()
	if err == nil {
		return string(out), nil
	}
	if text := strings.TrimSpace(stderr.String()); text != "" {
		return "", fmt.Errorf("%s: %s", name, text)
	}
	return "", fmt.Errorf("%s: %w", name, err)
}

// jobsFile is the name of the file that the jobs of a run folder are noted in, among the logs.
const jobsFile = "jobs.jsonl"

// Jobs returns the jobs that were submitted, the first one first.
func (a *Array) Jobs() ([]Job, error) {
	path := filepath.Join(a.Logs, jobsFile)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	var jobs []Job
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		var job Job
		if err := model.ReadJSON(strings.NewReader(lines.Text()), fmt.Sprintf("%s:%d", path, number), &job); err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, lines.Err()
}

// Note notes a job that was submitted.
func (a *Array) Note(job Job) error {
	text, err := json.Marshal(job)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(a.Logs, jobsFile), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}
