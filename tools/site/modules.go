package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// errNoNPM says that the modules of the page cannot be fetched.
var errNoNPM = errors.New("no npm on PATH: the page is not built, as the modules of its editor come by npm")

// modules fetches the modules of the page by the lock file, unless they are there, and checks the types of its scripts.
func modules(root string) error {
	folder := filepath.Join(root, "web")
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return err
	}
	stamp := filepath.Join(folder, "node_modules", ".lock")
	if old, err := os.ReadFile(stamp); err != nil || !bytes.Equal(old, lock) {
		npm, err := exec.LookPath("npm")
		if err != nil {
			return errNoNPM
		}
		install := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir = folder
		if output, err := install.CombinedOutput(); err != nil {
			return fmt.Errorf("npm ci: %w\n%s", err, output)
		}
		if err := os.WriteFile(stamp, lock, 0o666); err != nil {
			return err
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return errNoNPM
	}
	check := exec.Command(node, filepath.Join("node_modules", "typescript", "lib", "tsc.js"), "-p", ".")
	check.Dir = folder
	if output, err := check.CombinedOutput(); err != nil {
		return fmt.Errorf("tsc: %w\n%s", err, output)
	}
	return nil
}
