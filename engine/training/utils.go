package training

import (
	"cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/training/gfile"
)

// PreemptionErrors returns what has TensorFlow make a session anew instead of ending a worker: both
// as TensorFlow has them, the first alone once the reference has patched it (utils.py:27).
func PreemptionErrors(patched bool) []string {
	if patched {
		return []string{"AbortedError"}
	}
	return []string{"AbortedError", "UnavailableError"}
}

// CopyOptions are the arguments of copies with a default. Begin with [DefaultCopyOptions].
type CopyOptions struct {
	// Overwrite has an existing destination replaced; a copy of directories always does.
	Overwrite bool
	// SkipNonexist has a missing source be no error.
	SkipNonexist bool
	// MaxRetries is how often a copy is tried.
	MaxRetries int
	// MaxWorkers is how many tasks copy files; 1 and less is the caller's own.
	MaxWorkers int
	// Copy copies one file, as [gfile.Copy] does where it is nil.
	Copy func(src, dst string, overwrite bool) error
	// Quirks are those that are kept.
	Quirks quirks.Set
}

// copyTries is how often a copy is tried unless told otherwise.
const copyTries = 5

// DefaultCopyOptions are those of the reference.
func DefaultCopyOptions() CopyOptions {
	return CopyOptions{Overwrite: true, SkipNonexist: true, MaxRetries: copyTries, MaxWorkers: 1}
}

// CopyFile copies a file (utils.py:35). What is not found is tried again at once, MaxRetries times
// in all, and then let be; without SkipNonexist it is a NotFoundError. Other errors end it.
func CopyFile(f env.Files, src, dst string, o CopyOptions) error {
	for range o.MaxRetries {
		err := o.copy(f, src, dst)
		if pysem.TypeOf(err) != "NotFoundError" || !o.SkipNonexist {
			return err
		}
	}
	return nil
}

func (o CopyOptions) copy(f env.Files, src, dst string) error {
	if o.Copy != nil {
		return o.Copy(src, dst, o.Overwrite)
	}
	return gfile.Copy(f, src, dst, o.Overwrite)
}

// CopyRecursively copies a file or a directory with all below it (utils.py:47). A directory that
// is at the destination is removed first. A missing source is let be, or a ValueError without
// SkipNonexist. With more than one worker files are copied after all directories are made, and
// what goes wrong is told to nobody, with Q195 repaired the first error is; with one, each is tried
// five times whatever MaxRetries says, unless Q196 is repaired.
func CopyRecursively(e *env.Env, src, dst string, o CopyOptions) error {
	o.Overwrite = true
	c := copying{f: e.Files, o: o}
	if o.MaxWorkers <= 1 {
		if o.Quirks.Keeps(quirks.Q196) {
			c.o.MaxRetries = copyTries
		}
		return c.walk(src, dst, func(src, dst string) error { return CopyFile(c.f, src, dst, c.o) })
	}
	var found [][2]string
	err := c.walk(src, dst, func(src, dst string) error {
		found = append(found, [2]string{src, dst})
		return nil
	})
	if err != nil {
		return err
	}
	errs := c.inTasks(e.Tasks, found)
	if o.Quirks.Keeps(quirks.Q195) {
		return nil // nobody reads what the reference's pool answers
	}
	return cmp.Or(errs...)
}

type copying struct {
	f env.Files
	o CopyOptions
}

// walk makes the directories and hands over the files.
func (c *copying) walk(src, dst string, file func(src, dst string) error) error {
	info, err := c.f.Stat(src)
	switch {
	case err != nil && c.o.SkipNonexist:
		return nil
	case err != nil:
		return pysem.Raise("ValueError", "%s doesn't exist!", src)
	case !info.Dir:
		return file(src, dst)
	}
	if env.Exists(c.f, dst) {
		if err := gfile.RemoveTree(c.f, dst); err != nil {
			return err
		}
	}
	if err := gfile.MakeDirs(c.f, dst); err != nil {
		return err
	}
	names, err := gfile.ListDir(c.f, src)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := c.walk(pysem.JoinStrings(src, name), pysem.JoinStrings(dst, name), file); err != nil {
			return err
		}
	}
	return nil
}

// inTasks copies files in as many tasks as there are workers, and answers the error of each.
func (c *copying) inTasks(tasks env.Tasks, files [][2]string) []error {
	errs := make([]error, len(files))
	workers := min(c.o.MaxWorkers, len(files))
	running := make([]env.Task, workers)
	for w := range workers {
		running[w] = tasks.Go("copy", func() {
			for i := w; i < len(files); i += workers {
				errs[i] = CopyFile(c.f, files[i][0], files[i][1], c.o)
			}
		})
	}
	for _, t := range running {
		t.Join()
	}
	return errs
}
