package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// File is a file to write. Name is relative to the folder, with slashes.
type File struct {
	Name string
	Text []byte
}

// Write writes all the files into a folder, or none of them. It makes the folder if necessary. A
// file that exists already is an error that names it. After a failed write it removes what it
// wrote.
func Write(dir string, files []File) (err error) {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		switch _, err := os.Lstat(path); {
		case err == nil:
			return fmt.Errorf("found %s, want no such file: nothing was written", path)
		case !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: nothing was written", err)
		}
	}
	var made []string // paths of the files and folders that were made, in order
	defer func() {
		if err == nil {
			return
		}
		for _, path := range slices.Backward(made) {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		folders, err := makeFolders(filepath.Dir(path))
		made = append(made, folders...)
		if err != nil {
			return err
		}
		// O_EXCL protects a file that another program has created since the check.
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		made = append(made, path)
		_, err = out.Write(f.Text)
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}

// makeFolders makes a folder and its parents. It returns the folders that did not exist before.
func makeFolders(dir string) (made []string, err error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	made, err = makeFolders(filepath.Dir(dir))
	if err != nil {
		return made, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return made, err
	}
	return append(made, dir), nil
}
