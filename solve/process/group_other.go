//go:build !unix && !wasm

package process

import "os/exec"

// hasPrograms says that programs can be run here.
const hasPrograms = true

// inGroup does nothing: there are no process groups.
func inGroup(*exec.Cmd) {}

// terminateGroup does nothing: the program cannot be asked.
func terminateGroup(*exec.Cmd) {}

// killGroup ends the program. That it has ended already is no failure.
func killGroup(command *exec.Cmd) { _ = command.Process.Kill() }
