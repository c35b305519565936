package trainingcases

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// namedVariables is the data of a saver with int64 variables. names holds the names that
// checkpoints use for them, sorted.
type namedVariables struct {
	files     env.Files
	names     []string
	variables map[string]*session.Variable
}

// named returns the variables that a case selects, under the names that checkpoints are to use.
func named(c *caseworld.Call, in caseworld.Arguments, own map[string]*session.Variable) *namedVariables {
	d := &namedVariables{files: c.Env.Files, variables: map[string]*session.Variable{}}
	for _, f := range in.Fields() {
		name := in.Str(f.Name)
		d.names = append(d.names, name)
		d.variables[name] = own[f.Name]
	}
	slices.Sort(d.names)
	return d
}

// Write makes the directory of a checkpoint if it is missing, but not the directories above that,
// as TensorFlow does.
func (d *namedVariables) Write(s session.Session, prefix string) error {
	values := map[string]int64{}
	for _, name := range d.names {
		n, err := session.Get[int64](s, session.Read(d.variables[name]))
		if err != nil {
			return err
		}
		values[name] = n
	}
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	if err := d.makeDir(pysem.Dirname(prefix)); err != nil {
		return session.FileError(prefix, err)
	}
	return session.FileError(prefix, d.files.WriteFile(prefix+checkpoints.IndexSuffix, text))
}

func (d *namedVariables) makeDir(dir string) error {
	if dir == "" || env.Exists(d.files, dir) {
		return nil
	}
	if above := pysem.Dirname(dir); above != "" && !env.Exists(d.files, above) {
		return fs.ErrNotExist
	}
	return d.files.MkdirAll(dir)
}

func (*namedVariables) WriteMetaGraph(string) error { return nil }

func (*namedVariables) Devices() []string { return nil }

func (d *namedVariables) Restore(s session.Session, prefix string, _ []string) error {
	data, err := d.files.ReadFile(prefix + checkpoints.IndexSuffix)
	if err != nil {
		// TensorFlow assumes that a file with exactly the checkpoint's name is a checkpoint in the older
		// format.
		return session.Raise("DataLossError", "Unable to open table file %s: Data loss: not an sstable (bad magic number): perhaps your file is in a different file format and you need to use a different restore operator?", prefix)
	}
	values := map[string]int64{}
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	var ops []session.Op
	for _, name := range d.names {
		n, ok := values[name]
		if !ok {
			return session.Raise("NotFoundError", "Key %s not found in checkpoint", name)
		}
		ops = append(ops, session.Assign(d.variables[name], n))
	}
	return session.Do(s, ops...)
}

func (d *namedVariables) GlobalStep(prefix string) (int64, error) {
	return saveutils.SaveHelper{}.GlobalStep(prefix)
}

func valuesSequence(c *caseworld.Call) (any, error) {
	l, kwargs := newLab(c), c.In.Object("kwargs")
	v0, v1 := &session.Variable{Name: "v0", First: int64(10)}, &session.Variable{Name: "v1", First: int64(20)}
	own := map[string]*session.Variable{"v0": v0, "v1": v1}
	data := named(c, c.In.Object("names"), own)
	options := saveutils.SaverOptions{
		MaxToKeep: kwargs.IntegerOr("max_to_keep", 5), KeepEvery: 10000 * time.Hour, SkipSave: kwargs.Flag("skip_save"),
		PadStepNumber: kwargs.Flag("pad_step_number"), RelativePaths: kwargs.Flag("save_relative_paths"), Empty: len(data.names) == 0,
	}
	if err := options.Check(); err != nil {
		return nil, err
	}
	saver := saveutils.NewPartialRecoverySaver(l.e, data, options)
	return l.answer(caseworld.Do{
		"set": func(name string, value int64) error {
			if own[name] == nil {
				return pysem.Raise("KeyError", "%s", pysem.Repr(name))
			}
			return session.Do(l.s, session.Assign(own[name], value))
		},
		"save": func(s caseworld.Step) (any, error) { return saveAs(l, saver, s.Str("path"), s.Value("step")) },
		"restore": func(path pysem.OptString, names *pysem.Dict) error {
			from := saver
			if names != nil {
				others := caseworld.Arguments{Dict: names, Where: "in.steps.restore.names"}
				from = saveutils.NewPartialRecoverySaver(l.e, named(c, others, own), saveutils.SaverOptions{})
			}
			return from.Restore(l.s, path)
		},
		"latest": func(dir string) (any, error) {
			found, err := checkpoints.Latest(l.e, dir, checkpoints.Filename)
			return pysem.OptString{V: found, Set: found != ""}.Any(), err
		},
		"move":  c.Env.Files.Rename,
		"mkdir": c.Env.Files.MkdirAll,
		"write": writeText,
	}, func(out *pysem.Dict) {
		values := &pysem.Dict{}
		for _, name := range []string{"v0", "v1"} {
			n, err := session.Get[int64](l.s, session.Read(own[name]))
			if err != nil {
				panic(err)
			}
			values.Set(name, int(n))
		}
		out.Set("values", values)
		out.Set("checkpoints", everyCheckpoint(c.Env.Files))
		out.Set("states", everyState(c.Env.Files))
	})
}

// everyFile returns the sorted paths of all files below a directory that end with suffix.
func everyFile(f env.Files, dir, suffix string) (found []string) {
	names, err := f.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		path := strings.TrimPrefix(dir+"/"+name, "./")
		info, err := f.Stat(path)
		switch {
		case err != nil:
			panic(err)
		case info.Dir:
			found = append(found, everyFile(f, path, suffix)...)
		case strings.HasSuffix("/"+path, suffix):
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found
}

func everyCheckpoint(f env.Files) []any {
	found := lists.Map(everyFile(f, ".", checkpoints.IndexSuffix), func(path string) any { return strings.TrimSuffix(path, checkpoints.IndexSuffix) })
	return found
}

func everyState(f env.Files) *pysem.Dict {
	states := &pysem.Dict{}
	for _, path := range everyFile(f, ".", "/"+checkpoints.Filename) {
		data, err := f.ReadFile(path)
		if err != nil {
			panic(err)
		}
		states.Set(path, string(data))
	}
	return states
}
