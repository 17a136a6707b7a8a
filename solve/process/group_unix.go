//go:build unix

package process

import (
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"syscall"
)

// hasPrograms says that this system can run programs.
const hasPrograms = true

// inGroup puts the program into a process group of its own. Ctrl-C then reaches allot alone, and the program's children can be ended
// together with it. If the system can do it, the program is killed when allot ends, however allot ends.
func inGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Not every Unix has this field.
	if field := reflect.ValueOf(command.SysProcAttr).Elem().FieldByName("Pdeathsig"); field.IsValid() {
		field.SetInt(int64(syscall.SIGKILL))
	}
}

// guard starts a shell that kills the program's group when this process has ended, however it ended. Pdeathsig reaches the program alone and only on
// some systems; the program's children would go on. The shell waits for the end of its standard input, which this process alone holds open. The
// function dismiss ends the shell; the caller calls it before the group is gone, and wait after that. Without a shell there is no guard.
func guard(command *exec.Cmd) (dismiss, wait func()) {
	none := func() {}
	in, held, err := os.Pipe()
	if err != nil {
		return none, none
	}
	defer in.Close()
	shell := exec.Command("/bin/sh", "-c", `read -r line; kill -s KILL -- "-$1"`, "allot-guard", strconv.Itoa(command.Process.Pid))
	shell.Env, shell.Stdin = []string{}, in
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals of the terminal must not end it
	if shell.Start() != nil {
		_ = held.Close()
		return none, none
	}
	dismiss = func() {
		_ = shell.Process.Kill() // before the end of its input could make it kill the group
		_ = held.Close()
	}
	return dismiss, func() { _ = shell.Wait() } // it always fails: the shell was killed
}

// terminateGroup asks the group to end.
func terminateGroup(command *exec.Cmd) { signalGroup(command, syscall.SIGTERM) }

// killGroup kills the processes that are left in the group, and the program, which may have left it.
func killGroup(command *exec.Cmd) {
	signalGroup(command, syscall.SIGKILL)
	_ = command.Process.Kill() // it is no failure if the program has ended already
}

// signalGroup sends a signal to the group. It is no failure if the group has no process left.
func signalGroup(command *exec.Cmd, signal syscall.Signal) {
	_ = syscall.Kill(-command.Process.Pid, signal)
}
