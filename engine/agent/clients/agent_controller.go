package clients

import (
	"math/big"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/backends"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/envutils"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/quirks"
)

// ControlOptions holds the flags of the control command (agent_controller.py:28-38).
type ControlOptions struct {
	// Cmd is decl, pub, unpub or bzid_info.
	Cmd       string
	ZKServers string
	Bzid      string
	// ExportBase is the directory of an exported model. Only the command decl uses it.
	ExportBase string
	// Overwrite allows the command decl to declare a model a second time.
	Overwrite bool
	// Arch is the serving architecture for the command decl. Only entry_ps is accepted.
	Arch string
	// ModelName is a pattern of sub-graphs such as "ctr:ps_*", for the commands pub and unpub.
	ModelName string
	// Layout is the name of a layout, for the commands pub and unpub.
	Layout string
	Quirks quirks.Set
}

// DefaultControlOptions returns the defaults of the flags.
func DefaultControlOptions() ControlOptions {
	return ControlOptions{Cmd: "bzid_info", Bzid: "test", Arch: "entry_ps"}
}

// controlCommands names the commands in the order of the help text.
const controlCommands = "decl|pub|unpub|bzid_info"

// Control runs the control command (agent_controller.py:112-143): it declares, publishes, withdraws
// or reports. It returns the text to print, even if it fails halfway. An unknown command is a
// ValueError. A missing flag that the command needs is an AssertionError.
func Control(e *env.Env, o ControlOptions) (output string, err error) {
	if !slices.Contains(strings.Split(controlCommands, "|"), o.Cmd) {
		return "", pysem.Raise("ValueError", "unsupported cmd %s, options are %s", o.Cmd, controlCommands)
	}
	bd := backends.NewZKBackend(e, o.Bzid, e.ZooKeeper.NewClient(o.ZKServers, env.ZooKeeperOptions{Auth: envutils.ZKAuthData(e.Host)}))
	defer bd.Stop()
	output = "\n"
	if err := bd.Start(); err != nil {
		return output, err
	}
	c := Controller{Env: e, Backend: bd, Quirks: o.Quirks}
	switch o.Cmd {
	case "decl":
		if o.ExportBase == "" {
			return output, &pysem.Error{Type: "AssertionError"}
		}
		d := Declaration{ExportBase: o.ExportBase, Overwrite: o.Overwrite, Arch: o.Arch}
		if !o.Quirks.Keeps(quirks.Q54) {
			d.ModelName = o.ModelName
		}
		_, err = c.DeclareSavedModel(d)
	case "pub", "unpub":
		if o.Layout == "" || o.ModelName == "" {
			return output, &pysem.Error{Type: "AssertionError"}
		}
		err = c.MapModelToLayout(o.ModelName, "/"+o.Bzid+"/layouts/"+o.Layout, o.Cmd)
	case "bzid_info":
		var text string
		text, err = bd.BzidInfoText()
		output += text + "\n"
	}
	return output, err
}

// CtrlBackend is the part of a backend that [Controller] uses: it declares and publishes models
// (backends.py:135).
type CtrlBackend interface {
	ListSavedModels(model string) ([]datadef.SavedModel, error)
	DeclSavedModel(model datadef.SavedModel, deploy *datadef.SavedModelDeployConfig) error
	AddToLayout(layout string, model datadef.SavedModel) error
	RemoveFromLayout(layout string, model datadef.SavedModel) error
}

// Controller declares models and publishes them in layouts.
type Controller struct {
	Env     *env.Env
	Backend CtrlBackend
	Quirks  quirks.Set
}

// FindModelName returns the model name by which an export's entry graph calls its PS, None if it
// calls none (agent_controller.py:43). The reference reads the oldest version in place of the
// latest (Q55). An export without an entry is a FileNotFoundError. Bytes that are not a SavedModel
// are a DecodeError.
func (c Controller) FindModelName(exportedModels string) (pysem.OptString, error) {
	entry := pysem.JoinStrings(exportedModels, "entry")
	versions, err := pyos.ListDir(c.Env.Files, entry)
	if err != nil {
		return pysem.OptString{}, err
	}
	if len(versions) == 0 {
		return pysem.OptString{}, indexError()
	}
	version := versions[0]
	if !c.Quirks.Keeps(quirks.Q55) {
		version = slices.MaxFunc(versions, compareVersions)
	}
	file := pysem.JoinStrings(entry, version, "saved_model.pb")
	c.Env.Log.Logf(env.Info, "loading: %s", file)
	data, err := openGFile(c.Env.Files, file)
	if err != nil {
		return pysem.OptString{}, err
	}
	var model tfcore.SavedModel
	if err := proto.Unmarshal(data, &model); err != nil {
		return pysem.OptString{}, decodeError("tensorflow.SavedModel")
	}
	if len(model.GetMetaGraphs()) == 0 {
		return pysem.OptString{}, indexError()
	}
	return remoteModelName(model.GetMetaGraphs()[0])
}

// remoteModelName returns the model name that a graph's first remote call contains, without its
// sub-graph. The names in all remote calls must be UTF-8.
func remoteModelName(graph *tfcore.MetaGraphDef) (pysem.OptString, error) {
	var found pysem.OptString
	for _, node := range graph.GetGraphDef().GetNode() {
		if node.GetOp() != "TfServingRemotePredict" {
			continue
		}
		name, err := pysem.DecodeUTF8(node.GetAttr()["model_name"].GetS())
		if err != nil {
			return pysem.OptString{}, err
		}
		if !found.Set {
			model, _, _ := strings.Cut(name, ":")
			found = pysem.Some(model)
		}
	}
	return found, nil
}

// compareVersions orders version directories by number. Names that are not numbers come first, in
// alphabetical order.
func compareVersions(a, b string) int {
	na, okA := new(big.Int).SetString(a, 10)
	nb, okB := new(big.Int).SetString(b, 10)
	switch {
	case okA && okB:
		return na.Cmp(nb)
	case okA:
		return 1
	case okB:
		return -1
	}
	return strings.Compare(a, b)
}

// Declaration holds the arguments of [Controller.DeclareSavedModel].
type Declaration struct {
	// ExportBase is the directory of an exported model. It has a directory for each sub-graph.
	ExportBase string
	// ModelName is the name of the model to declare; empty means the name in the export.
	ModelName string
	// Overwrite allows a model to be declared a second time.
	Overwrite bool
	// Arch is the serving architecture. Only entry_ps is accepted.
	Arch string
}

// DeclareSavedModel declares every file or directory in the export as a sub-graph, even hidden
// files (Q58), and returns the model's name (agent_controller.py:62). If the export has another
// name than the declaration, that is only logged (Q56). Sub-graphs of earlier declarations stay
// (Q57). An AssertionError is raised for a model without a name, for a model declared before unless
// Overwrite is set, and for an architecture other than entry_ps.
func (c Controller) DeclareSavedModel(d Declaration) (string, error) {
	if d.Arch != "entry_ps" {
		return "", pysem.Raise("AssertionError", "only entry + ps architecture supported")
	}
	exported, err := c.FindModelName(d.ExportBase)
	if err != nil {
		return "", err
	}
	name := pysem.OptString{V: d.ModelName, Set: true}
	if d.ModelName == "" {
		name = exported
	}
	if name != exported {
		c.Env.Log.Logf(env.Error, "user model_name: %s, exported_model_name: %s", name, exported)
	}
	if !name.Set {
		return "", pysem.Raise("AssertionError", "Model name is None")
	}
	declared, err := c.Backend.ListSavedModels(name.V)
	if err != nil {
		return "", err
	}
	if len(declared) > 0 && !d.Overwrite {
		return "", pysem.Raise("AssertionError", "%s exists and not in overwrite mode", name.V)
	}
	subGraphs, err := pyos.ListDir(c.Env.Files, d.ExportBase)
	if err != nil {
		return "", err
	}
	for _, subGraph := range subGraphs {
		if strings.HasPrefix(subGraph, ".") && !c.Quirks.Keeps(quirks.Q58) {
			continue
		}
		deploy := datadef.SavedModelDeployConfig{
			ModelBasePath: pysem.Some(pysem.JoinStrings(d.ExportBase, subGraph)),
			VersionPolicy: pysem.Some("latest_once"),
		}
		if subGraph == "entry" {
			deploy.VersionPolicy = pysem.Some("latest")
		}
		if err := c.Backend.DeclSavedModel(datadef.SavedModel{ModelName: name.V, SubGraph: subGraph}, &deploy); err != nil {
			return "", err
		}
	}
	c.Env.Log.Logf(env.Info, "declare saved_model for %s on path %s success", name, d.ExportBase)
	return name.V, nil
}

// MapModelToLayout publishes (pub) or withdraws (unpub) the declared sub-graphs that match a
// pattern such as "ctr:ps_*" (agent_controller.py:90). A pattern without a colon is a ValueError;
// another action does nothing (Q59).
func (c Controller) MapModelToLayout(modelPattern, layoutPath, action string) error {
	name, pattern, ok := strings.Cut(modelPattern, ":")
	if !ok {
		return pysem.UnpackError(2, 1)
	}
	declared, err := c.Backend.ListSavedModels(name)
	if err != nil {
		return err
	}
	for _, model := range declared {
		if !pysem.Fnmatch(model.SubGraph, pattern) {
			continue
		}
		switch action {
		case "pub":
			c.Env.Log.Logf(env.Info, "publishing %s to %s", model, layoutPath)
			err = c.Backend.AddToLayout(layoutPath, model)
		case "unpub":
			c.Env.Log.Logf(env.Info, "deleting %s from %s", model, layoutPath)
			err = c.Backend.RemoveFromLayout(layoutPath, model)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openGFile reads a file as tf.io.gfile.GFile(path).read() does. For a missing file it returns
// TensorFlow's NotFoundError.
func openGFile(files env.Files, path string) ([]byte, error) {
	data, err := pyos.ReadFile(files, path)
	if pysem.TypeOf(err) == "FileNotFoundError" {
		return nil, pysem.Raise("NotFoundError", "%s; No such file or directory", path)
	}
	return data, err
}

func indexError() error { return pysem.Raise("IndexError", "list index out of range") }

// decodeError returns the error that protobuf raises for bytes that it cannot parse as the named
// message.
func decodeError(message string) error {
	return pysem.Raise("DecodeError", "Error parsing message with type '%s'", message)
}

var _ CtrlBackend = (*backends.ZKBackend)(nil)
