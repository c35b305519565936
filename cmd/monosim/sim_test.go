package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/sim"
)

// writeTree makes files in a new temporary directory and returns the directory.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// monosim runs the root command with the given arguments inside the test process.
func monosim(args ...string) (code int, stdout, message string) {
	var out, errs bytes.Buffer
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errs)
	err := root.Execute()
	if err != nil {
		message = err.Error()
	}
	return command.ExitCode(err), out.String(), errs.String() + message
}

const unifiedConf = `bzid demo
base_name ctr
base_path /models
deploy_type unified
agent_version 3
layout_pattern online
zk_servers 127.0.0.1:2181
`

const standAloneConf = `bzid demo
base_name ctr
base_path hdfs:///models/ctr
stand_alone_serving true
num_ps 2
num_shard 1
zk_servers 127.0.0.1:2181
`

func exported(t *testing.T) string {
	return writeTree(t, map[string]string{
		"v3/ctr/exported_models/entry/7/saved_model.pb":   "1234567890",
		"v3/ctr/exported_models/entry/8/saved_model.pb":   "12345678901234567890",
		"v3/ctr/exported_models/entry/8/variables/v.data": "1",
		"v3/ctr/exported_models/ps_0/7/saved_model.pb":    "1",
		"v1/entry/1/saved_model.pb":                       "1",
		"v1/ps_0/1/saved_model.pb":                        "1",
		"v1/ps_1/1/saved_model.pb":                        "1",
		"none/entry/latest/saved_model.pb":                "1",
		"file":                                            "1",
		"v3.conf":                                         unifiedConf,
		"v1.conf":                                         standAloneConf,
		"bad.conf":                                        strings.Replace(unifiedConf, "unified", "unifed", 1),
		"nolayout.conf":                                   strings.Replace(unifiedConf, "layout_pattern online\n", "", 1),
		"nobzid1.conf":                                    strings.Replace(standAloneConf, "bzid demo\n", "", 1),
		"nobzid3.conf":                                    strings.Replace(unifiedConf, "bzid demo\n", "", 1),
		"half/entry/1/saved_model.pb":                     "1",
		"half/ps_0/1/saved_model.pbtxt":                   "1",
		"half/ps_1/1/variables/v.data":                    "1",
		"ten.conf":                                        strings.Replace(standAloneConf, "num_ps 2", "num_ps ten", 1),
		"v2.conf":                                         strings.Replace(unifiedConf, "agent_version 3", "agent_version 2", 1),
	})
}

// Goal: --shards can ask for more shards than the conf has, without a change of the conf.
func TestSimTakesShardsBeforeTheConf(t *testing.T) {
	root := exported(t)
	code, stdout, message := monosim("sim", "--conf", filepath.Join(root, "v1.conf"), "--models", filepath.Join(root, "v1"), "--shards", "2", "--for", "10m", "--json")
	var report sim.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s", code, err, message)
	}
	if want := "v1.conf: found num_shard 1, taken as 2, as --shards says"; !strings.Contains(message, want) {
		t.Errorf("got %q, want %q in it", message, want)
	}
	pods := map[string]int{}
	for _, m := range report.Models {
		pods[m.Model] = m.Pods
	}
	if diff := cmp.Diff(map[string]int{"ps_0/1": 1, "ps_1/1": 1, "entry/1": 2}, pods); diff != "" {
		t.Errorf("pods of each model (-want +got):\n%s", diff)
	}
}

// Goal: a version directory without saved_model.pb counts as no version, as for a model server.
func TestAVersionWithoutASavedModelIsNotAvailable(t *testing.T) {
	root := exported(t)
	code, stdout, message := monosim("sim", "--conf", filepath.Join(root, "v1.conf"), "--models", filepath.Join(root, "half"), "--for", "20m", "--fail-unless-available")
	if code != command.ExitFailed || !strings.Contains(message, "half/ps_1/1: found neither saved_model.pb nor saved_model.pbtxt") {
		t.Errorf("exit %d: %s, want 1 and what is missing", code, message)
	}
	if !regexp.MustCompile(`(?m)^ +ps_1 +never`).MatchString(stdout) || !strings.Contains(stdout, "ps_0/1 ") {
		t.Errorf("want ps_0 and never ps_1 in\n%s", stdout)
	}
}

func TestSimServesWhatWasExported(t *testing.T) {
	root := exported(t)
	for _, c := range []struct {
		conf, models string
		available    []string
		served       []string
	}{
		{"v3.conf", "v3", []string{"ctr:entry/8", "ctr:ps_0/7"}, []string{"ctr:entry", "ctr:ps_0"}},
		{"v1.conf", "v1", []string{"ps_0/1", "ps_1/1", "entry/1"}, []string{"entry:0", "ps:0", "ps:1"}},
	} {
		t.Run(c.conf, func(t *testing.T) {
			args := []string{"sim", "--conf", filepath.Join(root, c.conf), "--models", filepath.Join(root, c.models), "--replicas", "2", "--for", "10m", "--json"}
			code, stdout, message := monosim(args...)
			if code != 0 {
				t.Fatalf("exit %d: %s", code, message)
			}
			var report sim.Report
			if err := json.Unmarshal([]byte(stdout), &report); err != nil {
				t.Fatalf("%v in %s", err, stdout)
			}
			var available, served []string
			for _, m := range report.Models {
				available = append(available, m.Model)
				if m.Pods != 2 {
					t.Errorf("%s: available on %d pods, want 2", m.Model, m.Pods)
				}
			}
			for _, e := range report.ServiceMap {
				served = append(served, e.Key)
				if len(e.Addrs) != 2 {
					t.Errorf("%s: got addresses %v, want 2", e.Key, e.Addrs)
				}
			}
			if diff := cmp.Diff(c.available, available); diff != "" {
				t.Errorf("available (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.served, served); diff != "" {
				t.Errorf("service map (-want +got):\n%s", diff)
			}
			_, again, _ := monosim(args...)
			var second sim.Report
			if err := json.Unmarshal([]byte(again), &second); err != nil {
				t.Fatal(err)
			}
			if report.Trace != second.Trace {
				t.Errorf("trace: got %s and %s from two runs, want one", report.Trace, second.Trace)
			}
		})
	}
}

func TestSimTellsWhatNeverBecameAvailable(t *testing.T) {
	root := exported(t)
	code, stdout, message := monosim("sim", "--conf", filepath.Join(root, "v3.conf"), "--models", filepath.Join(root, "v3"), "--for", "5m", "--policy", "latest_once")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, message)
	}
	for _, want := range []string{"ctr:entry  never", "AttributeError", "5m0s virtual in "} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("found no %q in\n%s", want, stdout)
		}
	}
}

func TestBadInputIsOneMessageAndExitCode2(t *testing.T) {
	root := exported(t)
	in := func(name string) string { return filepath.Join(root, name) }
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no conf", []string{"sim", "--models", in("v3")}, "--conf: found nothing, want an agent.conf"},
		{"conf that is not there", []string{"sim", "--conf", in("nope"), "--models", in("v3")}, "no such file or directory"},
		{"unknown deploy type", []string{"sim", "--conf", in("bad.conf"), "--models", in("v3")}, `bad.conf:4: found deploy_type "unifed", want one of entry, ps, dense, mixed, unified`},
		{"agent version 2", []string{"sim", "--conf", in("v2.conf"), "--models", in("v3")}, `found agent_version "2", want one of 1, 3`},
		{"no layout", []string{"sim", "--conf", in("nolayout.conf"), "--models", in("v3")}, "found no layout_pattern, want the layout"},
		{"no models", []string{"sim", "--conf", in("v3.conf")}, "--models: found nothing, want a directory of exported models"},
		{"models that are a file", []string{"sim", "--conf", in("v3.conf"), "--models", in("file")}, "found a file, want a directory"},
		{"models without versions", []string{"sim", "--conf", in("v3.conf"), "--models", in("none")}, "found no version directory in it, want <sub_graph>/<number>/saved_model.pb"},
		{"a number that is none", []string{"sim", "--conf", in("ten.conf"), "--models", in("v1")}, `ten.conf:5: found num_ps "ten", want a number`},
		{"no time", []string{"sim", "--conf", in("v3.conf"), "--models", in("v3"), "--for", "0s"}, "--for: found 0s"},
		{"unknown profile", []string{"sim", "--conf", in("v3.conf"), "--models", in("v3"), "--zookeeper", "3"}, `found "3", want zookeeper-3.8`},
		{"unknown policy", []string{"sim", "--conf", in("v3.conf"), "--models", in("v3"), "--policy", "newest"}, `--policy: found "newest", want latest, latest_once, all, specific`},
		{"unknown quirk", []string{"sim", "--conf", in("v3.conf"), "--models", in("v3"), "--quirks", "q1"}, `--quirks: found "q1"`},
		{"quirk that is not in the register", []string{"sim", "--conf", in("v3.conf"), "--models", in("v3"), "--quirks", "-Q" + "9999"}, `quirks: quirk: found "Q` + "9999" + `", want an id of the register (Q1 to `},
		{"unknown flag", []string{"sim", "--nope"}, "unknown flag: --nope"},
		{"unknown command", []string{"simulate"}, `unknown command "simulate"`},
		{"argument of version", []string{"version", "x"}, `found argument "x", want none`},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, message := monosim(c.args...)
			if code != 2 || !strings.Contains(message, c.want) {
				t.Errorf("got exit %d and %q, want 2 and %q", code, message, c.want)
			}
		})
	}
}

func TestTheSamplesServeEverything(t *testing.T) {
	for _, args := range [][]string{
		{"--conf", "testdata/agent.conf", "--replicas", "2"},
		{"--conf", "testdata/unified.conf", "--shards", "2"},
	} {
		code, stdout, message := monosim(append([]string{"sim", "--models", "testdata/exported", "--for", "5m"}, args...)...)
		if code != 0 || message != "" || strings.Contains(stdout, "never") {
			t.Errorf("sim %v: exit %d, message %q, output:\n%s", args, code, message, stdout)
		}
	}
}

func TestSimWithoutBzidSaysSo(t *testing.T) {
	root := exported(t)
	const said = "found no bzid, want the first part of the paths of all znodes"
	for _, c := range []struct {
		conf, models string
		code         int
	}{{"nobzid1.conf", "v1", command.ExitBadInput}, {"nobzid3.conf", "v3", 0}} {
		code, _, message := monosim("sim", "--conf", filepath.Join(root, c.conf), "--models", filepath.Join(root, c.models), "--for", "1m")
		if code != c.code || !strings.Contains(message, c.conf+": "+said) {
			t.Errorf("%s: got exit code %d and %q, want %d and %q", c.conf, code, message, c.code, said)
		}
	}
}

// Goal: a cluster of one's own takes no key of a capacity plan, which an agent would pass over. Method:
// fleet.boot.store, alone or with another key, and a whole plan.
func TestSimRefusesKeysOfPlans(t *testing.T) {
	const conf = "agent_version 1\nbzid lab\nbase_name lab\nbase_path /lab\nnum_ps 2\nnum_shard 1\ndeploy_type mixed\n"
	dir := t.TempDir()
	for _, c := range []struct{ text, want string }{
		{conf + "fleet.boot.store 5GB/s\n", ":8: found fleet.boot.store, want none: that is of capacity plans (monosim whatif run); each server here loads for itself, --load-speed a second"},
		{conf + "fleet.boot.store 5GB/s\nnetwork.loss 1%\n", ":9: found network.loss, want none: that is of capacity plans (monosim whatif run)"},
		{"apiVersion: capacity/v1\nfleet: {boot: {store: 5GB/s}}\n", ":1: found apiVersion, want an agent.conf: this is a capacity plan, for monosim whatif run"},
	} {
		path := filepath.Join(dir, "a.conf")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, _, message := monosim("sim", "--conf", path, "--models", dir, "--for", "1m")
		if code != 2 || !strings.Contains(message, path+c.want) {
			t.Errorf("exit %d, %s, want 2 and %s", code, message, c.want)
		}
	}
}

// Goal: each group of pods can have its own conf. Method: entry and PS containers in one cluster,
// and mistakes in the flags about groups.
func TestSimOfGroups(t *testing.T) {
	root := writeTree(t, map[string]string{
		"entry.conf":                      "bzid demo\nbase_name ctr\nbase_path hdfs:///models/ctr\nzk_servers 127.0.0.1:2181\nnum_ps 2\nnum_shard 2\ndeploy_type entry\n",
		"ps.conf":                         "bzid demo\nbase_name ctr\nbase_path hdfs:///models/ctr\nzk_servers 127.0.0.1:2181\nnum_ps 2\nnum_shard 2\nserver_type ps\n",
		"other.conf":                      "bzid demo\nbase_name other\nbase_path hdfs:///models/ctr\nzk_servers 127.0.0.1:2181\nnum_ps 2\nnum_shard 2\nserver_type ps\n",
		"exported/entry/1/saved_model.pb": "1", "exported/ps_0/1/saved_model.pb": "1", "exported/ps_1/1/saved_model.pb": "1",
	})
	entry, ps := "entry="+filepath.Join(root, "entry.conf"), "ps="+filepath.Join(root, "ps.conf")
	base := []string{"sim", "--models", filepath.Join(root, "exported"), "--for", "3m", "--fail-unless-available", "--json"}
	code, out, message := monosim(append(base, "--conf", entry, "--conf", ps, "--replicas", "entry=3,ps=2")...)
	var r sim.Report
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
		t.Fatalf("exit %d, %s, %v", code, message, err)
	}
	want := []sim.GroupPods{{Name: "entry", Conf: filepath.Join(root, "entry.conf"), Shards: 1, Replicas: 3}, {Name: "ps", Conf: filepath.Join(root, "ps.conf"), Shards: 2, Replicas: 2}}
	// Each of the seven agents sets 11 watches: 1 on the model, 3 on tasks, 7 on replicas.
	if diff := cmp.Diff(want, r.Groups); diff != "" || r.Pods != 7 || r.Load.Watches.End != 7*(1+3+7) {
		t.Errorf("%d pods, %d watches, groups (-want +got):\n%s", r.Pods, r.Load.Watches.End, diff)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--conf", entry, "--conf", ps, "--replicas", "p=2"}, "found a number for the group p"},
		{[]string{"--conf", entry, "--conf", "ps=" + filepath.Join(root, "other.conf")}, "want those of"},
		{[]string{"--conf", filepath.Join(root, "ps.conf"), "--conf", filepath.Join(root, "entry.conf")}, "want one for all pods, or GROUP=FILE"},
		{[]string{"--conf", entry, "--shards", "x"}, "want a whole number"},
	} {
		if code, _, message := monosim(append(base, c.args...)...); code != command.ExitBadInput || !strings.Contains(message, c.want) {
			t.Errorf("%v: exit %d, %s, want 2 and %q", c.args, code, message, c.want)
		}
	}
}
