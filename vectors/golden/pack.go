package golden

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
)

// Pack writes a directory of vectors as one zip archive, which has about a twentieth of the
// directory's size. Programs built with the tag release contain the archive; see .ci/release.sh.
func Pack(w io.Writer, fsys fs.FS) error {
	archive := zip.NewWriter(w)
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}) // without a time
		if err != nil {
			return err
		}
		_, err = file.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return archive.Close()
}

// unpack returns the files of an archive that Pack has written.
func unpack(archive []byte) fs.FS {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		panic(fmt.Sprintf("vectors of this binary: %v", err)) // Pack wrote it
	}
	return files
}
