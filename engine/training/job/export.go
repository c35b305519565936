package job

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/tensorbundle"
	"github.com/monosim/monosim/engine/training/gfile"
	"github.com/monosim/monosim/engine/training/modelexport"
	"github.com/monosim/monosim/engine/training/session"
)

// exporter exports each saved checkpoint into the directory of each graph.
type exporter struct{ p *process }

// exportListener returns a listener that exports checkpoints and deletes the exports of those that
// are gone.
func (p *process) exportListener() (session.Listener, error) {
	path := pysem.JoinStrings(p.Spec.ModelDir, basename)
	return modelexport.NewExportSaverListener(p.e, path, exporter{p}, modelexport.ListenerOptions{})
}

// ExportSavedModel writes the exports. Their version is the current time.
func (x exporter) ExportSavedModel(_ string, globalStep int64) (dirs []string, err error) {
	err = modelexport.WithoutTFConfig(x.p.e.Host, x.p.Quirks, func() error {
		dirs, err = x.export(globalStep)
		return err
	})
	return dirs, err
}

func (x exporter) export(globalStep int64) (dirs []string, err error) {
	p := x.p
	version, err := x.version()
	if err != nil {
		return nil, err
	}
	for _, graph := range p.Spec.ExportGraphs {
		base := pysem.JoinStrings(p.Spec.ExportDir, graph)
		dir := pysem.JoinStrings(base, version)
		if err := x.write(base, dir, globalStep); err != nil {
			return nil, err
		}
		p.Happened("exported", dir, fmt.Sprintf("step %d", globalStep))
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// exportTries is how often a version is looked for that no export has (export_utils.py of
// TensorFlow 2.4, get_timestamped_export_dir).
const exportTries = 10

// version returns the second in which the export is made, the next one if that has an export.
func (x exporter) version() (string, error) {
	p := x.p
	for range exportTries {
		version := strconv.FormatInt(p.e.Clock.Now().Unix(), 10)
		if !slices.ContainsFunc(p.Spec.ExportGraphs, func(graph string) bool {
			return env.Exists(p.e.Files, pysem.JoinStrings(p.Spec.ExportDir, graph, version))
		}) {
			return version, nil
		}
		p.e.Tasks.Sleep(time.Second)
	}
	return "", pysem.Raise("RuntimeError", "Failed to obtain a unique export directory name after %d attempts.", exportTries)
}

// savedModel is a model that TensorFlow 2.4 has written: of texts it makes as many numbers, and it
// gives the global step, its only variable.
//
//go:embed saved_model.pb
var savedModel []byte

// files returns the files of an export. In a simulation they have their names and sizes only.
func (x exporter) files(globalStep int64) (graph, index, variables []byte) {
	size := int(x.p.Spec.ExportBytes)
	if !x.p.readable {
		return []byte("graph"), nil, make([]byte, size)
	}
	const stepBytes, floatBytes = 8, 4
	numbers := max(size-stepBytes, 0) / floatBytes
	index, data := tensorbundle.Write([]tensorbundle.Tensor{
		tensorbundle.Int64Scalar(stepTensor, globalStep),
		{Name: "embedding", Type: tensorbundle.Float32, Shape: []int64{int64(numbers)}, Data: make([]byte, numbers*floatBytes)},
	}, 1)
	return savedModel, index, data[0]
}

// write creates a version's directory in a single step.
func (x exporter) write(base, dir string, globalStep int64) error {
	f := x.p.e.Files
	temporary := pysem.JoinStrings(base, "temp-"+pysem.Basename(dir))
	if err := gfile.MakeDirs(f, pysem.JoinStrings(temporary, "variables")); err != nil {
		return err
	}
	graph, index, variables := x.files(globalStep)
	for _, file := range []struct {
		name string
		data []byte
	}{{"saved_model.pb", graph}, {"variables/variables.index", index}, {"variables/variables.data-00000-of-00001", variables}} {
		path := pysem.JoinStrings(temporary, file.name)
		if err := f.WriteFile(path, file.data); err != nil {
			return session.FileError(path, err)
		}
	}
	return session.FileError(dir, f.Rename(temporary, dir))
}

var _ modelexport.Exporter = exporter{}
