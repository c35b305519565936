package job_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/pythontest"
	"github.com/monosim/monosim/sim/world"
)

// Goal: TensorFlow reads the checkpoints, the exports and the files of events of a job whose
// processes are programs. Method: the files of a job over gRPC are copied into a directory, and
// TensorFlow 2.4 says what it finds there.

const readJob = `
import glob, json, os, sys
import tensorflow as tf
v1, root = tf.compat.v1, sys.argv[1]
found = {"steps": [], "exports": [], "tags": [], "logs": 0, "places": [], "graphs": []}
for path in tf.train.get_checkpoint_state(root + "/model").all_model_checkpoint_paths:
    reader = tf.train.load_checkpoint(root + "/model/" + os.path.basename(path))
    found["steps"].append([int(os.path.basename(path).split("-")[1]), int(reader.get_tensor("global_step")), list(map(float, reader.get_tensor("embedding_1")))])
graphs = sorted(glob.glob(root + "/model/*.meta"))
for path, prefix in [(g, g[:-len(".meta")]) for g in graphs] + [(root + "/model/meta_graph_for_debugging.pb", graphs[0][:-len(".meta")])]:
    with tf.Graph().as_default() as graph, v1.Session() as session:
        saver = v1.train.import_meta_graph(path, clear_devices=True)
        saver.restore(session, prefix)
        step, sum = session.run([v1.train.get_global_step(graph), v1.trainable_variables()[1]])
        again = saver.save(session, root + "/again")
        found["graphs"].append([int(step), float(sum[0]), int(tf.train.load_checkpoint(again).get_tensor("global_step"))])
for export in sorted(glob.glob(root + "/models/ctr/entry/[0-9]*")):
    with v1.Session(graph=tf.Graph()) as session:
        signature = v1.saved_model.load(session, ["serve"], export).signature_def["serving_default"]
        outputs = [signature.outputs[n].name for n in ("preds", "step")]
        preds, step = session.run(outputs, {signature.inputs["input"].name: ["a", "b"]})
        found["exports"].append([len(preds), int(step)])
for path in glob.glob(root + "/model/events.out.*"):
    for event in v1.train.summary_iterator(path):
        found["tags"] += [v.tag for v in event.summary.value]
        found["logs"] += bool(event.session_log.checkpoint_path)
for index in glob.glob(root + "/model/input_worker_1.ckpt-*.index"):
    found["places"].append(int(tf.train.load_checkpoint(index[:-len(".index")]).get_tensor("iterator_position")))
found["tags"] = sorted(set(found["tags"]))
print(json.dumps(found))
`

// copied copies a directory of the job's shared files.
func copied(t *testing.T, w *world.World, from, to string) {
	t.Helper()
	store, inside := w.StoreOf(from)
	names, err := store.ReadDir(inside)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o750); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := from + "/" + name
		store, inside := w.StoreOf(path)
		data, err := store.ReadFile(inside)
		if err != nil { // a directory
			copied(t, w, path, filepath.Join(to, name))
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTensorFlowReadsTheFilesOfAJob(t *testing.T) {
	python, dir := pythontest.TensorFlow(t), t.TempDir()
	spec := cluster.TrainingSpec{Workers: 1, PS: 2, MaxSteps: 250, SaveEvery: 40 * time.Second, WorkerCheckpoints: true, ExportDir: "/models/ctr", ExportGraphs: []string{"entry"}}
	happened(t, spec, nil, func(w *world.World) {
		copied(t, w, "/train/model", dir+"/model")
		copied(t, w, "/models", dir+"/models")
	})
	read := pythontest.Command(t, python, "-c", readJob, dir)
	var said strings.Builder
	read.Stderr = &said
	out, err := read.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	var found struct {
		Steps, Exports [][]any
		Graphs         [][]float64
		Tags           []string
		Logs           int
		Places         []int
	}
	if err := json.Unmarshal(out[strings.LastIndexByte(strings.TrimSpace(string(out)), '\n')+1:], &found); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	n := len(found.Steps)
	if n < 3 || len(found.Exports) != n || found.Logs != n || cmp.Diff([]string{"global_step/sec"}, found.Tags) != "" {
		t.Fatalf("got %+v, want a checkpoint, an export and a line of the log for each save, and the rate of steps", found)
	}
	if len(found.Places) == 0 || found.Places[0] == 0 {
		t.Errorf("got the positions %v, want one of worker1", found.Places)
	}
	if len(found.Graphs) != n+1 {
		t.Errorf("got the graphs %v, want one beside each checkpoint, and that of the job", found.Graphs)
	}
	for _, g := range found.Graphs {
		if g[0] == 0 || g[1] != g[0] || g[2] != g[0] {
			t.Errorf("a graph restores the step %v and the embedding %v and saves the step %v, want one number", g[0], g[1], g[2])
		}
	}
	for i, c := range found.Steps {
		named, step, sum := c[0].(float64), c[1].(float64), c[2].([]any)
		if step < named || step > named+4 || len(sum) != 1 || sum[0] != step || found.Exports[i][0] != 2.0 || found.Exports[i][1] != named {
			t.Errorf("got the checkpoint %v and the export %v, want the step that each is named after", c, found.Exports[i])
		}
	}
}
