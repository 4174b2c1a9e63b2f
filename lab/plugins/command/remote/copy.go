package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/pkg/sftp"
)

func (c *CopyInputs) copy(ctx context.Context) error {
	client, err := c.Connection.dial(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	remote, err := sftp.NewClient(client, sftp.UseConcurrentWrites(true))
	if err != nil {
		return err
	}
	defer remote.Close()

	if asset := c.Source.Asset; asset != nil && asset.IsText() {
		return copyText(remote, asset.Text, c.RemotePath)
	}
	source := ""
	if c.Source.Asset != nil {
		source = c.Source.Asset.Path
	} else {
		source = c.Source.Archive.Path
	}
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return copyDirectory(remote, source, c.RemotePath)
	}
	isDirectory, err := existsAsDirectory(remote, c.RemotePath)
	if err != nil {
		return err
	}
	if isDirectory {
		return copyFile(remote, source, path.Join(c.RemotePath, filepath.Base(source)))
	}
	return copyFile(remote, source, c.RemotePath)
}

func copyText(remote *sftp.Client, text, target string) error {
	isDirectory, err := existsAsDirectory(remote, target)
	if err != nil {
		return err
	}
	if isDirectory {
		return fmt.Errorf("remote path %s is a directory; when using a text asset, remotePath must be a file path", target)
	}
	return write(remote, strings.NewReader(text), target)
}

func copyFile(remote *sftp.Client, source, target string) error {
	local, err := os.Open(source)
	if err != nil {
		return err
	}
	defer local.Close()
	return write(remote, local, target)
}

func write(remote *sftp.Client, content io.Reader, target string) error {
	file, err := remote.Create(target)
	if err != nil {
		return fmt.Errorf("failed to create remote file %s: %w", target, err)
	}
	defer file.Close()
	if _, err = file.ReadFrom(content); err != nil {
		return fmt.Errorf("failed to copy to remote path %s: %w", target, err)
	}
	return nil
}

// copyDirectory copies `dir` to target/dir, and the content of `dir/` to target.
func copyDirectory(remote *sftp.Client, source, target string) error {
	if !strings.HasSuffix(source, "/") {
		if err := ensureDirectory(remote, target); err != nil {
			return err
		}
		target = path.Join(target, filepath.Base(source))
	}
	return fs.WalkDir(os.DirFS(source), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return ensureDirectory(remote, path.Join(target, name))
		}
		return copyFile(remote, filepath.Join(source, name), path.Join(target, name))
	})
}

func ensureDirectory(remote *sftp.Client, target string) error {
	info, err := remote.Stat(target)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := remote.Mkdir(target); err != nil {
			return fmt.Errorf("failed to create remote directory %s: %w", target, err)
		}
		return nil
	case err != nil:
		return fmt.Errorf("failed to stat remote path %s: %w", target, err)
	case !info.IsDir():
		return fmt.Errorf("remote path %s exists but is not a directory", target)
	}
	return nil
}

func existsAsDirectory(remote *sftp.Client, target string) (bool, error) {
	info, err := remote.Stat(target)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("failed to stat remote path %s: %w", target, err)
	}
	return info.IsDir(), nil
}
