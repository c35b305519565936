package command

import (
	"errors"
	"io"

	"github.com/monosim/monosim/engine/wholefile"
)

// OutFile is a file to write, with the function that writes a report in the file's format. Name ""
// means no file.
type OutFile[R any] struct {
	Name string
	Form func(R, io.Writer) error
}

// OutFiles holds the files that a run writes. They are opened before the run, so that a run ends at
// once if a file cannot be written.
type OutFiles[R any] struct {
	files []*wholefile.File
	forms []func(R, io.Writer) error
}

// OpenFiles opens the wanted files, except those with an empty name.
func OpenFiles[R any](wanted ...OutFile[R]) (*OutFiles[R], error) {
	list := &OutFiles[R]{}
	for _, f := range wanted {
		if f.Name == "" {
			continue
		}
		file, err := wholefile.Create(f.Name)
		if err != nil {
			list.Discard()
			return nil, err
		}
		list.files, list.forms = append(list.files, file), append(list.forms, f.Form)
	}
	return list, nil
}

// Write writes a report into all files and closes them. Only then do the files appear under their
// final names.
func (l *OutFiles[R]) Write(report R) error {
	var errs []error
	for i, file := range l.files {
		errs = append(errs, l.forms[i](report, file), file.Close())
	}
	return errors.Join(errs...)
}

// Discard removes the files that were opened but not written.
func (l *OutFiles[R]) Discard() {
	for _, file := range l.files {
		file.Discard()
	}
}
