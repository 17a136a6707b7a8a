//go:build wasm

package process

import "os/exec"

// hasPrograms says that this system can run programs. WebAssembly runs none.
const hasPrograms = false

func inGroup(*exec.Cmd) {}

func guard(*exec.Cmd) (dismiss, wait func()) { return func() {}, func() {} }

func terminateGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
