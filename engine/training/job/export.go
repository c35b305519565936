package job

import (
	"fmt"
	"strconv"

	"github.com/monosim/monosim/engine/pysem"
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
	version := strconv.FormatInt(p.e.Clock.Now().Unix(), 10)
	for _, graph := range p.Spec.ExportGraphs {
		base := pysem.JoinStrings(p.Spec.ExportDir, graph)
		dir := pysem.JoinStrings(base, version)
		if err := x.write(base, dir); err != nil {
			return nil, err
		}
		p.Happened("exported", dir, fmt.Sprintf("step %d", globalStep))
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// write creates a version's directory in a single step.
func (x exporter) write(base, dir string) error {
	f := x.p.e.Files
	temporary := pysem.JoinStrings(base, "temp-"+pysem.Basename(dir))
	if err := gfile.MakeDirs(f, pysem.JoinStrings(temporary, "variables")); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{"saved_model.pb", []byte("graph")}, {"variables/variables.index", nil}, {"variables/variables.data-00000-of-00001", make([]byte, x.p.Spec.ExportBytes)}} {
		path := pysem.JoinStrings(temporary, file.name)
		if err := f.WriteFile(path, file.data); err != nil {
			return session.FileError(path, err)
		}
	}
	return session.FileError(dir, f.Rename(temporary, dir))
}

var _ modelexport.Exporter = exporter{}
