//go:build unix

package operators

import (
	"bytes"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// Spread does the numbers below n, some at a time.
func Spread(jobs, n int, do func(k int)) {
	numbers := make(chan int)
	var group sync.WaitGroup
	for range jobs {
		group.Go(func() {
			for k := range numbers {
				do(k)
			}
		})
	}
	for k := range n {
		numbers <- k
	}
	close(numbers)
	group.Wait()
}

// Output runs a command in a process group of its own, which an interrupt kills as a whole, and returns all that it prints.
func Output(command *exec.Cmd) ([]byte, error) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	var text bytes.Buffer
	command.Stdout, command.Stderr = &text, &text
	err := command.Run()
	return text.Bytes(), err
}

// failedTest matches the line with the name of a failed test.
var failedTest = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// Failed is the last test that failed by the output of go test, which is the innermost subtest; empty: it names none.
func Failed(output []byte) string {
	found := failedTest.FindAllSubmatch(output, -1)
	if len(found) == 0 {
		return ""
	}
	return string(found[len(found)-1][1])
}
