package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/allot-opt/allot/tools/internal/needs"
)

// A user verifies the checksums with ssh-keygen as docs say; changed checksums, or a signature of another key, are refused.
func TestSign(t *testing.T) {
	needs.Program(t, "ssh-keygen")
	dir := t.TempDir()
	keyNamed := func(name string) (key, public string) {
		key = filepath.Join(dir, name)
		if text, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		text, err := os.ReadFile(key + ".pub")
		if err != nil {
			t.Fatal(err)
		}
		return key, string(text)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	verify := func() error {
		c := exec.Command("ssh-keygen", "-Y", "verify", "-f", "allowed_signers", "-I", "releases", "-n", "allot-release", "-s", "SHA256SUMS.sig")
		c.Dir, c.Stdin = dir, bytes.NewReader(mustRead(t, filepath.Join(dir, "SHA256SUMS")))
		return c.Run()
	}
	key, public := keyNamed("key")
	other, _ := keyNamed("other")
	write("allowed_signers", `releases namespaces="allot-release" `+public)
	write("SHA256SUMS", "00  a\n")
	if note, err := sign(dir, key); err != nil || !strings.HasPrefix(note, "signed") {
		t.Fatal(note, err)
	}
	first := mustRead(t, filepath.Join(dir, "SHA256SUMS.sig"))
	if err := verify(); err != nil {
		t.Errorf("the signature is refused: %v", err)
	}
	write("SHA256SUMS", "01  a\n")
	if verify() == nil {
		t.Error("changed checksums are accepted")
	}
	write("SHA256SUMS", "00  a\n")
	for _, by := range []string{other, key} {
		if err := os.Remove(filepath.Join(dir, "SHA256SUMS.sig")); err != nil {
			t.Fatal(err)
		}
		if _, err := sign(dir, by); err != nil {
			t.Fatal(err)
		}
		if accepted := verify() == nil; accepted != (by == key) {
			t.Errorf("%s: accepted: %t", by, accepted)
		}
	}
	if !bytes.Equal(first, mustRead(t, filepath.Join(dir, "SHA256SUMS.sig"))) {
		t.Error("the same checksums have another signature")
	}
	if note, err := sign(dir, ""); err != nil || !strings.Contains(note, "unsigned") {
		t.Error(note, err)
	}
	if _, err := sign(dir, filepath.Join(dir, "missing")); err == nil || !strings.Contains(err.Error(), "ALLOT_SIGNING_KEY") {
		t.Errorf("a missing key: %v", err)
	}
}

// mustRead reads a file.
func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
