package fault

import (
	"fmt"
	"path"
	"strconv"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/world"
)

var storeKinds = []Kind{
	{
		FaultKind: cluster.FaultKind{
			Name:  "store.absent",
			Help:  "The base path of a sub-graph is not there; at the end it is back with all that was in it.",
			Lasts: "the base path of {model} is missing",
			Ends:  "the base path of {model} is back",
			Onset: "the base path of {model} goes missing",
		},
		Begin: onBase(func(fs *files.FS, dir string) error { return move(fs, dir, aside(dir)) }),
		End:   onBase(func(fs *files.FS, dir string) error { return fs.Rename(aside(dir), dir) }),
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "store.empty",
			Help:  "The base path of a sub-graph is there but lists nothing; at the end its versions are back.",
			Lasts: "the base path of {model} lists nothing",
			Ends:  "the base path of {model} lists its versions again",
			Onset: "the base path of {model} becomes empty",
		},
		Begin: onBase(func(fs *files.FS, dir string) error { return moveChildren(fs, dir, aside(dir)) }),
		End:   onBase(func(fs *files.FS, dir string) error { return moveChildren(fs, aside(dir), dir) }),
	},
	// The host that creates a name sees it at once. A file that replaces an existing one is visible
	// to all hosts at once.
	{
		FaultKind: cluster.FaultKind{
			Name:  StoreLate,
			Help:  "Names that are made in a directory become visible to other hosts only after a time, as in an object store whose listing lags; at the end all are visible.",
			Lasts: "files under {path} are visible {duration} late",
			Ends:  "files under {path} are visible at once",
			Onset: "files under {path} become visible {duration} late",
		},
		Begin: func(w *world.World, f cluster.Fault) error { w.LateFiles(f.BasePath, f.Duration); return nil },
		End:   func(w *world.World, f cluster.Fault) error { w.PromptFiles(f.BasePath); return nil },
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "store.unreadable",
			Help:  "Reading the base path of a sub-graph, or anything below it, fails.",
			Lasts: "the base path of {model} cannot be read",
			Ends:  "the base path of {model} can be read again",
			Onset: "the base path of {model} becomes unreadable",
		},
		Begin: onBase(func(fs *files.FS, dir string) error { fs.Freeze(dir); return nil }),
		End:   onBase(func(fs *files.FS, dir string) error { fs.Thaw(dir); return nil }),
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "store.version-without-graph",
			Help:  "A version is still being copied: its variables are there, its graph comes with the end.",
			Lasts: "version {n} of {model} is exported without its graph, with variables of {size}",
			Ends:  "the graph of version {n} of {model} arrives",
			Onset: "the export of version {n} of {model} begins without its graph, with variables of {size}",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			fs, version := versionOf(w, f)
			return fs.AddSized(version+variablesFile, f.SizeBytes)
		},
		End: func(w *world.World, f cluster.Fault) error {
			fs, version := versionOf(w, f)
			if err := wantMissing(fs, version+graphFile, f); err != nil {
				return err
			}
			return writeGraph(fs, version)
		},
	},
	{
		FaultKind: cluster.FaultKind{
			Name:  "store.version-without-variables",
			Help:  "A version is still being copied: its graph is there, its variables come with the end.",
			Lasts: "version {n} of {model} is exported without its variables of {size}",
			Ends:  "the variables of version {n} of {model} arrive",
			Onset: "the export of version {n} of {model} begins without its variables of {size}",
		},
		Begin: func(w *world.World, f cluster.Fault) error {
			fs, version := versionOf(w, f)
			if err := fs.AddSized(aside(version)+variablesFile, f.SizeBytes); err != nil {
				return err
			}
			return writeGraph(fs, version)
		},
		End: func(w *world.World, f cluster.Fault) error {
			fs, version := versionOf(w, f)
			if err := wantMissing(fs, version+variablesFile, f); err != nil {
				return err
			}
			return move(fs, aside(version)+variablesFile, version+variablesFile)
		},
	},
}

// moveChildren renames everything in a directory, so that the directory itself stays.
func moveChildren(fs *files.FS, from, to string) error {
	if err := fs.MkdirAll(to); err != nil {
		return err
	}
	names, err := fs.ReadDir(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := fs.Rename(path.Join(from, name), path.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// StoreLate is the name of the fault that makes files visible late.
const StoreLate = "store.late"

// onBase returns an action on the base path of a fault. do receives the store that holds the base
// path, and the path inside the store.
func onBase(do func(fs *files.FS, dir string) error) action {
	return func(w *world.World, f cluster.Fault) error { return do(w.StoreOf(f.BasePath)) }
}

// versionOf returns the store of a fault's model version, and the version's directory in the store.
func versionOf(w *world.World, f cluster.Fault) (fs *files.FS, dir string) {
	fs, dir = w.StoreOf(f.BasePath)
	return fs, path.Join(dir, strconv.FormatInt(f.N, 10))
}

// aside returns the path to which a fault moves a directory, to hide it until the fault ends.
func aside(dir string) string { return "/.aside" + dir }

// move renames a file or directory. It makes the parents of the new path first.
func move(fs *files.FS, from, to string) error {
	if err := fs.MkdirAll(path.Dir(to)); err != nil {
		return err
	}
	return fs.Rename(from, to)
}

// A version has two parts; these are their paths below its directory.
const (
	graphFile     = "/saved_model.pb"
	variablesFile = "/variables/variables.data-00000-of-00001"
)

// wantMissing returns an error if a part of a model version exists already, because only a missing
// part can arrive late.
func wantMissing(fs *files.FS, part string, f cluster.Fault) error {
	if _, err := fs.Stat(part); err == nil {
		return fmt.Errorf("version %d of %s: found no part that is missing", f.N, f.BasePath)
	}
	return nil
}

// writeGraph writes the graph of a model version that cannot load until its variables arrive.
func writeGraph(fs *files.FS, version string) error {
	return fs.WriteTree(map[string]string{version + graphFile: `{"variables": ["w"]}`})
}
