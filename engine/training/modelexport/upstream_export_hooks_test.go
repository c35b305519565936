package modelexport

import (
	"errors"
	"fmt"
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
)

// Goal: a listener that exports each checkpoint passes the reference's own tests
// (export_hooks_test.py). As there, the hook of a saver tells the listener of each save.

// exporter makes a function usable as an Exporter.
type exporter func(checkpoint string, step int64) ([]string, error)

func (x exporter) ExportSavedModel(checkpoint string, step int64) ([]string, error) {
	return x(checkpoint, step)
}

// noTensors is a graph without tensors. A checkpoint of it consists of its index file alone.
type noTensors struct{ files env.Files }

func (n noTensors) Write(_ session.Session, prefix string) error {
	return n.files.WriteFile(prefix+".index", nil)
}
func (noTensors) WriteMetaGraph(string) error { return nil }

// trained runs steps of a session. Its hook saves a checkpoint every so many steps, and x exports
// each checkpoint.
func trained(t *testing.T, e *env.Env, maxToKeep, steps int, first int64, every int, x exporter) {
	t.Helper()
	if err := e.Files.MkdirAll("model"); err != nil {
		t.Fatal(err)
	}
	listener, err := NewExportSaverListener(e, "model/model.ckpt", x, ListenerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := saveutils.DefaultSaverHookOptions()
	o.Interval.Steps = every
	o.Listeners = []session.Listener{listener}
	saver := saveutils.NewPartialRecoverySaver(e, noTensors{e.Files}, saveutils.SaverOptions{MaxToKeep: maxToKeep})
	hook, err := saveutils.NewSaverHook(e, "model", saver, o)
	if err != nil {
		t.Fatal(err)
	}
	m := session.NewMemory()
	if err := errors.Join(hook.Begin(), hook.AfterCreateSession(m, nil)); err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		if err := step(m, hook, first+int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := hook.End(m); err != nil {
		t.Fatal(err)
	}
}

// step runs one training step, which ends at global step to, as a monitored session would.
func step(s session.Session, hook session.Hook, to int64) error {
	run := &session.RunContext{Session: s}
	reads, err := hook.BeforeRun(run)
	if err != nil {
		return err
	}
	values, err := s.Run(reads...)
	if err != nil {
		return err
	}
	if err := session.Do(s, session.Assign(session.GlobalStep(), to)); err != nil {
		return err
	}
	return hook.AfterRun(run, values)
}

func surroundings() *env.Env {
	e := envtest.New(nil, nil)
	e.Log, e.Clock = envtest.Quiet{}, envtest.Clock{}
	return e
}

func TestUpstreamExportHook_testBasic(t *testing.T) {
	e := surroundings()
	trained(t, e, 5, 1, 10, 10000, func(checkpoint string, _ int64) ([]string, error) {
		if checkpoint != "model/model.ckpt-10" {
			t.Errorf("got %s, want that of step 10", checkpoint)
		}
		return []string{"export/12345678"}, e.Files.MkdirAll("export/12345678")
	})
	state, err := ExportSaverListenerState(e.Files, "export")
	if err != nil || len(state.Entries) != 1 {
		t.Fatalf("got %v %v, want one entry", state, err)
	}
	if entry := state.Entries[0]; entry.GetExportDir() != "export/12345678" || entry.GetGlobalStep() != 10 {
		t.Errorf("got %v, want that of step 10", entry)
	}
}

func TestUpstreamExportHook_testExporterReturnsDict(t *testing.T) {
	e, dirs := surroundings(), []string{"export/model1/12345678", "export/model2/12345678"}
	trained(t, e, 5, 1, 10, 10000, func(string, int64) ([]string, error) {
		return dirs, nil
	})
	for _, dir := range dirs {
		if state, err := ExportSaverListenerState(e.Files, pysem.Dirname(dir)); err != nil || len(state.Entries) != 1 {
			t.Errorf("%s: got %v %v, want one entry", dir, state, err)
		}
	}
}

func TestUpstreamExportHook_testDeleted(t *testing.T) {
	e, exports := surroundings(), 0
	trained(t, e, 1, 2, 1, 1, func(string, int64) ([]string, error) {
		exports++
		dir := fmt.Sprintf("export/1.%d", exports)
		return []string{dir}, e.Files.MkdirAll(dir)
	})
	state, err := ExportSaverListenerState(e.Files, "export")
	if err != nil || len(state.Entries) != 1 || state.Entries[0].GetGlobalStep() != 2 {
		t.Fatalf("got %v %v, want that of step 2 alone", state, err)
	}
	if exports != 2 || env.Exists(e.Files, "export/1.1") || !env.Exists(e.Files, "export/1.2") {
		t.Errorf("got %d exports, want two, of which the second is left", exports)
	}
}
