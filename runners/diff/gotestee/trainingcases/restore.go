package trainingcases

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// psVariables is the data of a saver. Its variables are on several PS, and one file holds them all.
type psVariables struct {
	in        caseworld.Arguments
	files     env.Files
	variables []*session.Variable
}

// newPSVariables makes the variables v0, v1 and so on, one on each PS, and the global step on the
// first PS. If there is no PS, it makes one variable without a device.
func newPSVariables(c *caseworld.Call, numPS int) *psVariables {
	d := &psVariables{in: c.In, files: c.Env.Files}
	device := func(i int) string {
		if numPS == 0 {
			return ""
		}
		return saveutils.PSDevice(i)
	}
	for i := range max(1, numPS) {
		d.variables = append(d.variables, &session.Variable{Name: fmt.Sprintf("v%d", i), Device: device(i), First: int64(1)})
	}
	step := session.GlobalStep()
	step.Device = device(0)
	d.variables = append(d.variables, step)
	return d
}

func (d *psVariables) named(name string) *session.Variable {
	i := slices.IndexFunc(d.variables, func(v *session.Variable) bool { return v.Name == name })
	if i < 0 {
		d.in.Wrong("steps", "a variable of the case, not "+name)
	}
	return d.variables[i]
}

func (d *psVariables) values(s session.Session) map[string]int64 {
	values := map[string]int64{}
	for _, v := range d.variables {
		n, err := session.Get[int64](s, session.Read(v))
		if err != nil {
			panic(err)
		}
		values[v.Name] = n
	}
	return values
}

// init sets all variables to their first values.
func (d *psVariables) init(s session.Session) error {
	ops := lists.MapOrNil(d.variables, func(v *session.Variable) session.Op { return session.Assign(v, v.First) })
	return session.Do(s, ops...)
}

func (d *psVariables) Write(s session.Session, prefix string) error {
	text, err := json.Marshal(d.values(s))
	if err != nil {
		return err
	}
	return session.FileError(prefix, d.files.WriteFile(prefix+checkpoints.IndexSuffix, text))
}

func (*psVariables) WriteMetaGraph(string) error { return nil }

func (d *psVariables) Devices() []string {
	devices := map[string]bool{}
	for _, v := range d.variables {
		if v.Device != "" {
			devices[v.Device] = true
		}
	}
	return slices.Sorted(maps.Keys(devices))
}

// read returns the values in a checkpoint, by variable name.
func (d *psVariables) read(prefix string) (values map[string]int64, err error) {
	data, err := d.files.ReadFile(prefix + checkpoints.IndexSuffix)
	if err != nil {
		return nil, session.FileError(prefix, err)
	}
	return values, json.Unmarshal(data, &values)
}

func (d *psVariables) Restore(s session.Session, prefix string, devices []string) error {
	values, err := d.read(prefix)
	if err != nil {
		return err
	}
	var ops []session.Op
	for _, v := range d.variables {
		if devices == nil || slices.Contains(devices, v.Device) {
			ops = append(ops, session.Assign(v, values[v.Name]))
		}
	}
	return session.Do(s, ops...)
}

func (d *psVariables) GlobalStep(prefix string) (int64, error) {
	values, err := d.read(prefix)
	return values["global_step"], err
}

// writeText writes a file, and makes the directory that contains it.
func writeText(f env.Files, name, text string) error {
	return errors.Join(f.MkdirAll(pysem.Dirname(name)), f.WriteFile(name, []byte(text)))
}

func restoreSequence(c *caseworld.Call) (any, error) {
	l, numPS := newLab(c), c.In.Count("num_ps")
	if err := c.Env.Files.MkdirAll("m"); err != nil {
		return nil, err
	}
	data, options := newPSVariables(c, numPS), saveutils.SaverOptions{MaxToKeep: 5, Quirks: c.Quirks}
	if c.In.Flag("monitor") {
		options.Monitor = saveutils.NewPSMonitor(numPS)
	}
	if c.In.Value("clear_nn") != nil {
		clear := c.In.Object("clear_nn")
		options.ClearNN = &saveutils.ClearNN{ModelDir: clear.OptStr("model_dir").V, Init: data.init}
		if clear.Flag("continue_training") {
			options.ClearNN.GlobalStep = data.named("global_step")
		}
	}
	if err := options.Check(); err != nil {
		return nil, err
	}
	saver := saveutils.NewPartialRecoverySaver(l.e, data, options)
	return l.answer(caseworld.Do{
		"set": func(name string, value int64) error { return session.Do(l.s, session.Assign(data.named(name), value)) },
		"forget": func(ps int) error {
			return session.Do(l.s, session.Assign(&session.Variable{Name: fmt.Sprintf("ps_monitor_%d", ps)}, int64(0)))
		},
		"uninitialized": func(device string) (bool, error) { return options.Monitor.IsPSUninitialized(l.s, device) },
		"save": func(step int64) (string, error) {
			err := saver.Save(l.s, "m/model.ckpt", step, false)
			return saveutils.SaveHelper{Basename: "m/model.ckpt"}.CkptPrefix(step), err
		},
		"restore": func(path pysem.OptString) error { return saver.Restore(l.s, path) },
		"setup":   func() error { return saver.SetupPSInitializedState(l.s) },
		"write":   writeText,
		"remove":  c.Env.Files.Remove,
	}, func(out *pysem.Dict) {
		values, now := &pysem.Dict{}, data.values(l.s)
		for _, v := range data.variables {
			values.Set(v.Name, int(now[v.Name]))
		}
		out.Set("values", values)
		cleared := []any{}
		for _, dir := range []string{"m", "other"} {
			if env.Exists(c.Env.Files, dir+"/clear_nn") {
				cleared = append(cleared, dir)
			}
		}
		out.Set("cleared", cleared)
	})
}
