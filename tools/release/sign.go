package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// keyVariable names the file of the key that signs a release: a private key of OpenSSH, or a public one whose private key an agent holds.
const keyVariable = "ALLOT_SIGNING_KEY"

// namespace states what a signature is for, so that one made for another purpose does not count.
const namespace = "allot-release"

// sign signs the checksums in the folder with ssh-keygen, which asks for the passphrase where the key has one. An Ed25519 key gives the same
// signature of the same checksums each time. Without a key it says so.
func sign(folder, key string) (note string, err error) {
	if key == "" {
		return "the archives are unsigned: " + keyVariable + " names no key", nil
	}
	sums := filepath.Join(folder, "SHA256SUMS")
	c := exec.Command("ssh-keygen", "-Y", "sign", "-f", key, "-n", namespace, sums)
	c.Stdin, c.Stderr = os.Stdin, os.Stderr
	if err := c.Run(); err != nil {
		return "", errors.Join(fmt.Errorf("cannot sign SHA256SUMS with the key %s of %s: %w", key, keyVariable, err), ignoreMissing(os.Remove(sums+".sig")))
	}
	return "signed: SHA256SUMS.sig", nil
}

// ignoreMissing passes over the error that a file does not exist.
func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
