package simrun_test

import (
	"bufio"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// The goal of the parity tests is that backends and discovery do step by step what
// the reference does: results, errors, callbacks and writes. The method is to answer
// cases of the testee protocol over the simulated world. testdata/examples.jsonl are
// those of the protocol's own description, testdata/recorded.jsonl and mirror.jsonl
// were made from the reference by testdata/record.py and record_mirror.py. The cases
// of all other modules are in vectors, which runners/gotestee answers.

func TestAnswersEqualTheReferences(t *testing.T) {
	for _, name := range []string{"examples.jsonl", "recorded.jsonl", "mirror.jsonl"} {
		t.Run(name, func(t *testing.T) { runParityCases(t, "testdata/"+name) })
	}
}

func runParityCases(t *testing.T, path string) {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, err := pysem.ParseJSON(lines.Text())
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		c := line.(*pysem.Dict)
		t.Run(strings.ReplaceAll(item(c, "id").(string), "/", "|"), func(t *testing.T) { runParityCase(t, c) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// operations answer a case inside of a process of its own.
var operations = map[string]func(c *parityCase) (any, error){
	"backends.ZKBackend.sequence":             (*parityCase).backendSequence,
	"replica_manager.ReplicaWatcher.sequence": (*parityCase).watcherSequence,
	"replica_manager.ReplicaUpdater.sequence": (*parityCase).updaterSequence,
	"replica_manager.ReplicaManager":          (*parityCase).replicaManager,
}

func runParityCase(t *testing.T, line *pysem.Dict) {
	op, ok := operations[item(line, "op").(string)]
	if !ok {
		t.Fatalf("op: found %v, want one of those that the port has", item(line, "op"))
	}
	c := newParityCase(t, line)
	var got any
	var err error
	c.inProcess(func(e *env.Env) {
		c.env = e
		got, err = op(c)
	})
	if failure, ok := line.Get("error"); ok {
		want := canonical(t, failure).(map[string]any)
		if diff := cmp.Diff(want, canonical(t, failureOf(err))); diff != "" {
			t.Errorf("error differs (-reference +got), answer %s:\n%s", pysem.AppendJSON(nil, got), diff)
		}
		return
	}
	if err != nil {
		t.Fatalf("got error %v, want %s", err, pysem.AppendJSON(nil, item(line, "out")))
	}
	if diff := cmp.Diff(canonical(t, item(line, "out")), canonical(t, got)); diff != "" {
		t.Errorf("answer differs (-reference +got):\n%s", diff)
	}
}
