package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	messages "github.com/cucumber/messages/go/v34"
	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/features/report"
	"github.com/monosim/monosim/features/steps"
	"github.com/monosim/monosim/runners/test/simrun"
)

// envelope is one message as plain JSON values.
type envelope = map[string]any

// messagesOf runs files and returns their messages, as plain values and in the official Go type.
func messagesOf(t *testing.T, files fstest.MapFS, seeds int) (list []envelope, typed []messages.Envelope) {
	t.Helper()
	var out bytes.Buffer
	suite := &steps.Suite{Runner: &simrun.Runner{}, FS: files, Paths: []string{"."}, Seed: 1, Seeds: seeds, Explain: -1}
	if _, err := suite.Stream(t.Context(), report.NewMessages(&out, "1.2.3")); err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out.Bytes()) {
		list = append(list, decoded[envelope](t, line))
		typed = append(typed, decoded[messages.Envelope](t, line))
	}
	return list, typed
}

// decoded decodes JSON into a type. It fails the test at a field that the type does not have.
func decoded[T any](t *testing.T, line []byte) (v T) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return v
}

// Goal: the messages equal those of cucumber-js. Method: the same files as for the Cucumber JSON,
// compared with the output of cucumber-js 12.9.0 (record.sh). All messages and fields are compared,
// except for times and meta. Ids are numbered in the order in which they occur.
func TestMessagesAreThoseOfCucumber(t *testing.T) {
	got, _ := messagesOf(t, gherkinFiles(t), 1)
	recorded, err := os.ReadFile("testdata/cucumber-js-12.9.0.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var want []envelope
	for line := range bytes.Lines(recorded) {
		want = append(want, decoded[envelope](t, line))
	}
	if diff := cmp.Diff(plain(want), plain(got)); diff != "" {
		t.Errorf("-cucumber-js +here:\n%s", diff)
	}
}

// plain prepares messages for comparison. It removes what record.sh removes, and the location of a
// pickle, which cucumber-js 12.9.0 does not write yet. It also replaces ids by numbers.
func plain(list []envelope) []envelope {
	used := map[any]bool{}
	visit(list, func(key string, v any) {
		if key == "stepDefinitionIds" {
			for _, id := range v.([]any) {
				used[id] = true
			}
		}
		if key == "parameterTypeName" {
			used[v] = true
		}
	})
	list = slices.DeleteFunc(list, func(m envelope) bool {
		definition, _ := m["stepDefinition"].(envelope)
		parameter, _ := m["parameterType"].(envelope)
		return m["meta"] != nil || definition != nil && !used[definition["id"]] || parameter != nil && !used[parameter["name"]]
	})
	ids := map[any]string{}
	number := func(id any) any {
		if ids[id] == "" {
			ids[id] = fmt.Sprint("id ", len(ids))
		}
		return ids[id]
	}
	for _, m := range list {
		if p, ok := m["pickle"].(envelope); ok {
			delete(p, "location")
		}
	}
	var renumber func(v any)
	renumber = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				renumber(one)
			}
		case envelope:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				switch of := v[key].(type) {
				case string:
					if key == "id" || strings.HasSuffix(key, "Id") {
						v[key] = number(of)
					}
				case []any:
					for i := range of {
						if strings.HasSuffix(key, "Ids") {
							of[i] = number(of[i])
						}
					}
				}
				if key == "timestamp" || key == "duration" || key == "sourceReference" {
					delete(v, key)
					continue
				}
				renumber(v[key])
			}
		}
	}
	for _, m := range list {
		renumber(m)
	}
	return list
}

// visit calls see for every field of every message, at any depth.
func visit(list []envelope, see func(key string, v any)) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case envelope:
			for key, one := range v {
				see(key, one)
				walk(one)
			}
		}
	}
	for _, m := range list {
		walk(m)
	}
}

// Goal: messages distinguish runs of several seeds, and report failures. Every message refers only
// to messages before it. Method: a scenario that fails at its last step and one that passes, with
// two seeds.
func TestMessagesOfSeedsAndFailures(t *testing.T) {
	files := fstest.MapFS{"pods.feature": {Data: []byte(`Feature: Pods
  Scenario Outline: A pod <is so>
    Given a v3 cluster of 1 shard with 1 replica
    When the cluster starts
    And 10s pass
    Then shard0-replica0 <is so>
    And 1s passes
    Examples:
      | is so     |
      | has ended |
      | runs      |
`)}}
	list, typed := messagesOf(t, files, 2)
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if meta := typed[0].Meta; meta == nil || meta.Implementation.Version != "1.2.3" || !bytes.Contains(module, []byte("cucumber/messages/go/v34 v"+meta.ProtocolVersion+"\n")) {
		t.Errorf("got the first message %+v, want meta with the version of the program, and that of the module in go.mod", meta)
	}
	declared := map[any]bool{}
	for _, m := range list {
		visit([]envelope{m}, func(key string, v any) {
			if key == "id" {
				declared[v] = true
			}
		})
		visit([]envelope{m}, func(key string, v any) {
			if strings.HasSuffix(key, "Id") && !declared[v] {
				t.Errorf("%v: %s %v stands for nothing before it", m, key, v)
			}
		})
	}
	var said []string
	var at int64
	for _, m := range typed {
		switch {
		case m.Attachment != nil:
			said = append(said, m.Attachment.Body)
		case m.TestStepFinished != nil:
			r := m.TestStepFinished.TestStepResult
			first, _, _ := strings.Cut(r.Message, "\n")
			said = append(said, strings.TrimSpace(fmt.Sprintf("%s %ds %s", r.Status, r.Duration.Seconds, first)))
			if now := m.TestStepFinished.Timestamp.Seconds; now < at {
				t.Errorf("time goes back from %ds to %ds", at, now)
			} else {
				at = now
			}
		case m.TestRunFinished != nil:
			said = append(said, fmt.Sprintf("success %v at %ds", m.TestRunFinished.Success, m.TestRunFinished.Timestamp.Seconds))
		}
	}
	var want []string
	for seed := 1; seed <= 2; seed++ {
		want = append(want, fmt.Sprintf("seed %d, replay with: monosim test pods.feature:10 --seed %d", seed, seed),
			"PASSED 0s", "PASSED 0s", "PASSED 10s", "FAILED 0s t+10.000s: agent of shard0-replica0, want ended, got running", "SKIPPED 0s",
			fmt.Sprintf("seed %d, replay with: monosim test pods.feature:11 --seed %d", seed, seed),
			"PASSED 0s", "PASSED 0s", "PASSED 10s", "PASSED 0s", "PASSED 1s")
	}
	want = append(want, "success false at 42s")
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
