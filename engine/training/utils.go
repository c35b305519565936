package training

import (
	"cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
	"github.com/monosim/monosim/engine/training/gfile"
)

// PreemptionErrors returns the errors after which TensorFlow makes a new session and a worker goes
// on. TensorFlow itself has both errors. The reference's patch leaves only the first (utils.py:27).
func PreemptionErrors(patched bool) []string {
	if patched {
		return []string{"AbortedError"}
	}
	return []string{"AbortedError", "UnavailableError"}
}

// CopyOptions holds the optional arguments of copies. Begin with [DefaultCopyOptions].
type CopyOptions struct {
	// Overwrite replaces an existing destination. Copying a directory always replaces it.
	Overwrite bool
	// SkipNonexist means that a missing source is not an error.
	SkipNonexist bool
	// MaxRetries is how often a copy is tried.
	MaxRetries int
	// MaxWorkers is the number of tasks that copy files in parallel. With 1 or less the calling
	// task copies them.
	MaxWorkers int
	// Copy copies one file; nil means [gfile.Copy].
	Copy func(src, dst string, overwrite bool) error
	// Quirks is the set of the reference's faults that are kept.
	Quirks jobquirks.Set
}

// copyTries is how often a copy is tried by default.
const copyTries = 5

// DefaultCopyOptions returns the reference's defaults.
func DefaultCopyOptions() CopyOptions {
	return CopyOptions{Overwrite: true, SkipNonexist: true, MaxRetries: copyTries, MaxWorkers: 1}
}

// CopyFile copies a file (utils.py:35). If the source is missing, it tries again at once, up to
// MaxRetries times in all, and then returns no error. Without SkipNonexist a missing source is a
// NotFoundError at once. Other errors end the copy.
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

// CopyRecursively copies a file, or a directory with everything below it (utils.py:47). A directory
// at the destination is removed first. A missing source is ignored with SkipNonexist, otherwise a
// ValueError. With more than one worker, files are copied after all directories were made, and
// errors are lost; with Q195 repaired the first is returned. With one worker each file is tried
// five times whatever MaxRetries says, unless Q196 is repaired.
//
// Cost: a copy grows with the files below the source, each of which is read whole and, while it is not
// found, tried again at once; with more workers it still waits for the largest share.
func CopyRecursively(e *env.Env, src, dst string, o CopyOptions) error {
	o.Overwrite = true
	c := copying{f: e.Files, o: o}
	if o.MaxWorkers <= 1 {
		if o.Quirks.Keeps(jobquirks.Q196) {
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
	if o.Quirks.Keeps(jobquirks.Q195) {
		return nil // errors are dropped with the results of the reference's pool
	}
	return cmp.Or(errs...)
}

type copying struct {
	f     env.Files
	o     CopyOptions
	depth int // number of directories around the present one, up to the one that is copied
}

// mostCopyDepth is the depth at which Python's recursion fails, measured in a program that calls
// CopyRecursively directly. Only this limit ends the copy of a directory into itself.
const mostCopyDepth = 990

// walk makes the directories of dst anew and calls file for each file below src.
func (c *copying) walk(src, dst string, file func(src, dst string) error) error {
	if c.depth++; c.depth > mostCopyDepth {
		return pysem.Raise("RecursionError", "maximum recursion depth exceeded while calling a Python object")
	}
	defer func() { c.depth-- }()
	info, err := gfile.Stat(c.f, src)
	switch {
	case err != nil && c.o.SkipNonexist:
		return nil
	case err != nil:
		return pysem.Raise("ValueError", "%s doesn't exist!", src)
	case !info.Dir:
		return file(src, dst)
	}
	if gfile.Exists(c.f, dst) {
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

// inTasks copies files with MaxWorkers tasks in parallel, and returns one error, or nil, per file.
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
