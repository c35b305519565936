package fault

import (
	"path"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/world"
)

var _ = register(Kind{
	FaultKind: cluster.FaultKind{
		Name:  "store.empty",
		Help:  "The base path of a sub-graph is there but lists nothing; at the end its versions are back.",
		Lasts: "the base path of {model} lists nothing",
		Ends:  "the base path of {model} lists its versions again",
		Onset: "the base path of {model} becomes empty",
	},
	Begin: func(w *world.World, f cluster.Fault) error {
		fs, dir := storeOf(w, f)
		return moveChildren(fs, dir, aside(dir))
	},
	End: func(w *world.World, f cluster.Fault) error {
		fs, dir := storeOf(w, f)
		return moveChildren(fs, aside(dir), dir)
	},
})

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
