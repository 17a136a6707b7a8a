//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copyTree copies the files of the repository in their current state, except those that git ignores. If the folder is not a git repository, it
// copies all files.
func copyTree(ctx context.Context, root, to string) error {
	files, err := filesOf(ctx, root)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := copyFile(filepath.Join(root, file), filepath.Join(to, file)); err != nil {
			return err
		}
	}
	return nil
}

// filesOf lists the files to copy.
func filesOf(ctx context.Context, root string) ([]string, error) {
	git := exec.CommandContext(ctx, "git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if out, err := git.Output(); err == nil && len(out) > 0 {
		return strings.Split(string(bytes.TrimSuffix(out, []byte{0})), "\x00"), nil
	}
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// copyFile copies a file or a symbolic link. It skips a file that git lists but that no longer exists.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, info.Mode().Perm())
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	return fmt.Errorf("%s: expected a file or a symbolic link", from)
}
