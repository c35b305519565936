package trainingcases

import (
	"math/big"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	modelexportpb "github.com/monosim/monosim/engine/proto/monolith/native_training/model_export"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/training/modelexport"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// exportOps holds the operations on export_hooks.py.
var exportOps = caseworld.Table{
	"export_hooks.get_global_step":              exportGlobalStep,
	"export_hooks.ExportSaverListener.sequence": exportSequence,
}

func exportGlobalStep(c *caseworld.Call) (any, error) {
	step, err := modelexport.GlobalStepOf(c.In.Str("checkpoint_path"))
	if err != nil {
		return nil, err
	}
	return pysem.Int(step), nil
}

// stagedExporter exports by making the directories that the step names. It also serves as the
// metrics client.
type stagedExporter struct {
	files env.Files
	dirs  []string
	log   []any
}

func (x *stagedExporter) ExportSavedModel(checkpoint string, step int64) ([]string, error) {
	x.log = append(x.log, []any{"export", checkpoint, step})
	for _, dir := range x.dirs {
		if err := x.files.MkdirAll(dir); err != nil {
			return nil, err
		}
	}
	return x.dirs, nil
}

func (x *stagedExporter) EmitStore(name string, value *big.Int, modelName string) {
	x.log = append(x.log, []any{"store", name, pysem.Int(value), caseworld.Object("model_name", modelName)})
}

// dirsOf returns the directories that a step names, as one path, a list of paths, or an object
// whose values are paths.
func dirsOf(s caseworld.Step) []string {
	switch v := s.Value("dirs").(type) {
	case string:
		return []string{v}
	case *pysem.Dict:
		return lists.MapOrNil(v.Items, func(item pysem.Item) string { return s.Object("dirs").Str(item.Key) })
	}
	return s.Strings("dirs")
}

// checkpointOfSteps returns the content of a file "checkpoint" that lists the checkpoints of steps.
func checkpointOfSteps(steps []int) string {
	var b strings.Builder
	for i, step := range steps {
		if i == 0 {
			b.WriteString("model_checkpoint_path: \"model.ckpt-" + pysem.Str(steps[len(steps)-1]) + "\"\n")
		}
		b.WriteString("all_model_checkpoint_paths: \"model.ckpt-" + pysem.Str(step) + "\"\n")
	}
	return b.String()
}

// exported returns the exported directories at any depth below dir: the subdirectories of each
// directory that has a state file. It adds the content of each state file to states.
func exported(f env.Files, dir string, states *pysem.Dict) (directories []string) {
	names, err := f.ReadDir(dir)
	if err != nil {
		panic(err)
	}
	var below []string
	for _, name := range names {
		if info, err := f.Stat(dir + "/" + name); err == nil && info.Dir {
			below = append(below, dir+"/"+name)
		}
	}
	if slices.Contains(names, modelexport.StateFile) {
		shown := func(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, "."), "/") }
		states.Set(shown(dir), exportState(f, dir+"/"+modelexport.StateFile))
		directories = append(directories, lists.Map(below, shown)...)
	}
	for _, b := range below {
		directories = append(directories, exported(f, b, states)...)
	}
	slices.Sort(directories)
	return directories
}

func exportState(f env.Files, file string) any {
	data, err := f.ReadFile(file)
	if err != nil {
		panic(err)
	}
	text, err := pysem.DecodeUTF8(data)
	state := &modelexportpb.ServingModelState{}
	if err != nil || textformat.Parse(text, state) != nil {
		return "<unparsable>"
	}
	return lists.Map(state.Entries, func(e *modelexportpb.ServingEntry) any {
		return caseworld.Object("export_dir", e.GetExportDir(), "global_step", e.GetGlobalStep())
	})
}

func exportSequence(c *caseworld.Call) (any, error) {
	l, x := newLab(c), &stagedExporter{files: c.Env.Files, log: []any{}}
	options := modelexport.ListenerOptions{DenseOnly: c.In.Flag("dense_only"), Metrics: x, Exempt: c.In.OptStrings("exempt_checkpoint_paths")}
	listener, err := modelexport.NewExportSaverListener(l.e, caseworld.CaseDir+"/m/model.ckpt", x, options)
	if err != nil {
		return nil, err
	}
	return l.answer(caseworld.Do{
		"save": func(s caseworld.Step, step int64) error {
			x.dirs = dirsOf(s)
			if s.Value("checkpoints") != nil {
				c.Dir.Put("m/checkpoint", []byte(checkpointOfSteps(s.Ints("checkpoints"))))
			}
			_, err := listener.AfterSave(l.s, step)
			return err
		},
		"remove": func(dir string) error {
			if _, err := c.Env.Files.Stat(dir); err != nil {
				return err
			}
			return c.Env.Files.RemoveAll(dir)
		},
		"write": func(name, text string) { c.Dir.Put(name, []byte(text)) },
	}, func(out *pysem.Dict) {
		out.Set("log", x.log)
		states := caseworld.Object()
		directories := exported(c.Env.Files, ".", states)
		out.Set("states", states)
		out.Set("directories", append([]string{}, directories...))
		x.log = []any{}
	})
}
