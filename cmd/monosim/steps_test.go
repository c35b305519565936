package main

import (
	"strings"
	"testing"
)

// Goal: a search for everyday words finds the right sentence. A word that finds nothing gets a
// suggestion of a similar one.
func TestStepsAreFoundByTheWordsOfPeople(t *testing.T) {
	for word, sentence := range map[string]string{
		"crash": "the agent of {pod} is killed", "restart": "pods that end start again after {duration}", "latency": "the network between {places} and {places} is slower by {duration}",
		"disk": "the base path of {model} is deleted", "partition": "{places} is/are cut off from {places}", "canary": "the config of {model} gives version {n} the label {text}",
		"rollback": "version {n} of {model} is deleted", "traffic": "a Predict of {model} is sent to {server}", "OOM": "model servers may use {size} of memory",
		"network": "{places} is/are cut off from {places}", "slow": "a Predict takes {duration}", "upgrade": "version {n} of {model} is exported", "leader": "ZooKeeper has no leader",
	} {
		code, stdout, _ := monosim("steps", word)
		if code != 0 || !strings.Contains(stdout, sentence) {
			t.Errorf("steps %s: exit code %d, want %q in\n%s", word, code, sentence, stdout)
		}
	}
	for word, want := range map[string]string{"crahs": "did you mean crash?", "xyzzy": "as crash, latency, partition"} {
		code, _, stderr := monosim("steps", word)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("steps %s: exit code %d and %q, want 2 and %q", word, code, stderr, want)
		}
	}
	if _, stdout, _ := monosim("steps", "settings", "num_ps"); !strings.Contains(stdout, "number of PS shards of the model (v1) (whole number; 1)") {
		t.Errorf("steps settings num_ps: got %s", stdout)
	}
	if code, _, stderr := monosim("steps", "--glue", "rust"); code != 2 || !strings.Contains(stderr, `found "rust", want one of go, typescript`) {
		t.Errorf("steps --glue rust: exit code %d and %q", code, stderr)
	}
}
