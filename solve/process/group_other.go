//go:build !unix && !wasm

package process

import "os/exec"

// hasPrograms says that this system can run programs.
const hasPrograms = true

// inGroup does nothing: this system has no process groups.
func inGroup(*exec.Cmd) {}

// guard does nothing: on this system the program notices the end of allot by the end of its standard streams only.
func guard(*exec.Cmd) (dismiss, wait func()) { return func() {}, func() {} }

// terminateGroup does nothing: on this system a program cannot be asked to end.
func terminateGroup(*exec.Cmd) {}

// killGroup kills the program. It is no failure if the program has ended already.
func killGroup(command *exec.Cmd) { _ = command.Process.Kill() }
