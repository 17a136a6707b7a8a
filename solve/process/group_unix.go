//go:build unix

package process

import (
	"os/exec"
	"reflect"
	"syscall"
)

// hasPrograms says that programs can be run here.
const hasPrograms = true

// inGroup makes the program the first of a process group of its own, so that Ctrl-C does not reach it past us and its children can be
// ended with it. Where the system can, the program itself ends with us, however we end.
func inGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// The field is not on every Unix.
	if field := reflect.ValueOf(command.SysProcAttr).Elem().FieldByName("Pdeathsig"); field.IsValid() {
		field.SetInt(int64(syscall.SIGKILL))
	}
}

// terminateGroup asks the group to end.
func terminateGroup(command *exec.Cmd) { signalGroup(command, syscall.SIGTERM) }

// killGroup ends what is left of the group.
func killGroup(command *exec.Cmd) { signalGroup(command, syscall.SIGKILL) }

// signalGroup sends a signal to the group. That none is left to take it is no failure.
func signalGroup(command *exec.Cmd, signal syscall.Signal) {
	_ = syscall.Kill(-command.Process.Pid, signal)
}
