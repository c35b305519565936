package command

import (
	"errors"
	"io"

	"github.com/monosim/monosim/engine/wholefile"
)

// OutFile is a file in one form of a report; Name "" means none.
type OutFile[R any] struct {
	Name string
	Form func(R, io.Writer) error
}

// OutFiles holds the files that a run writes. They are opened before the run, so that one that cannot
// be written ends it at once.
type OutFiles[R any] struct {
	files []*wholefile.File
	forms []func(R, io.Writer) error
}

// OpenFiles opens the files that are wanted.
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

// Write writes a report into all files, which have their names from then on.
func (l *OutFiles[R]) Write(report R) error {
	var errs []error
	for i, file := range l.files {
		errs = append(errs, l.forms[i](report, file), file.Close())
	}
	return errors.Join(errs...)
}

// Discard removes what was not written.
func (l *OutFiles[R]) Discard() {
	for _, file := range l.files {
		file.Discard()
	}
}
