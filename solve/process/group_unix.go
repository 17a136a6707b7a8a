//go:build unix

package process

import (
	"os/exec"
	"reflect"
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
