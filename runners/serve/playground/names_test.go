package playground

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/monosim/monosim/engine/confined"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// Goal: no name in a description or a request can reach outside the cluster's directory. Such a
// name is refused, and the error names the field, before anything is changed. Method: any text in
// every field that takes a name.

func FuzzNamesOfADescription(f *testing.F) {
	for _, name := range []string{"ctr", "ps_0", "a/b", "..", "../../a", `a\b`, `C:\a`, "/models/ctr", "/a/../b", "", ".", "a\x00b", "a\nb", "a\u202eb"} {
		f.Add(name)
	}
	fields := map[string]string{
		"models[0].name":               "models: [{name: %s, sub_graphs: [{name: entry}]}]",
		"models[0].base_path":          "models: [{name: ctr, base_path: %s, sub_graphs: [{name: entry}]}]",
		"models[0].sub_graphs[0].name": "models: [{name: ctr, sub_graphs: [{name: %s}]}]",
		"conf":                         "conf: %s",
		"bzid":                         "bzid: %s",
		"layout":                       "layout: %s",
		"locations[0].idc":             "locations: [{idc: %s, cluster: c}]",
	}
	f.Fuzz(func(t *testing.T, name string) {
		text, err := yaml.Marshal(name)
		if err != nil || strings.Contains(strings.TrimSpace(string(text)), "\n") {
			t.Skip("it takes lines")
		}
		for field, form := range fields {
			d, err := Parse("x.yaml", fmt.Appendf(nil, form, strings.TrimSpace(string(text))))
			if err != nil {
				if !strings.HasPrefix(err.Error(), "x.yaml:1:") {
					t.Errorf("%s %q: got %v, want file and line", field, name, err)
				}
				continue
			}
			for _, m := range d.Spec.Models {
				for _, g := range m.SubGraphs {
					base := m.SubGraphPath(g.Name)
					if path.Clean(base) != base || confined.Path(base) != nil {
						t.Errorf("%s %q: taken with the base path %q", field, name, base)
					}
				}
			}
		}
	})
}

// described serves the admin interface of a cluster that has no running processes.
func described(t testing.TB) *admin.Server {
	t.Helper()
	d, err := Parse("x.yaml", []byte("models: [{name: ctr, sub_graphs: [{name: entry, versions: [1]}]}]"))
	if err != nil {
		t.Fatal(err)
	}
	p := &Playground{d: d, cluster: &loopback.Cluster{}, asked: make(chan func()), done: make(chan struct{}), faulty: map[string]running{}}
	s, err := admin.Listen("127.0.0.1:0", "a test", admin.Access{Token: admin.NoToken}, p.actions())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			select {
			case do := <-p.asked:
				do()
			case <-p.done:
				return
			}
		}
	}()
	t.Cleanup(func() {
		s.Close()
		close(p.done)
	})
	return s
}

// post sends a POST request and returns the status and the text of the answer.
func post(t testing.TB, url, body string) (int, string) {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func FuzzNamesOfRequests(f *testing.F) {
	for _, name := range []string{"/models/ctr", "/models/ctr/entry/", "/models/ctr/../ctr/entry", "..", "", "/", `\models\ctr\entry`, "hdfs://a/b", "a\x00b"} {
		f.Add(name, int64(1))
	}
	f.Add("/models/ctr/entry", int64(0))
	f.Add("/models/ctr/entry", int64(-1<<63))
	s := described(f)
	f.Fuzz(func(t *testing.T, name string, version int64) {
		if name == "/models/ctr/entry" && version > 0 || name == "ctr" || name == "entry" {
			t.Skip("the cluster has it")
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		for path, form := range map[string]string{
			"/versions/export":  `{"base_path": %s, "version": %d}`,
			"/versions/delete":  `{"base_path": %s, "version": %d}`,
			"/faults/begin":     `{"kind": "version.broken", "base_path": %s, "n": %d}`,
			"/models/publish":   `{"model": %s, "sub_graphs": ["entry", "%d"]}`,
			"/models/unpublish": `{"model": "ctr", "sub_graphs": [%s, "%d"]}`,
		} {
			status, text := post(t, s.URL()+path, fmt.Sprintf(form, quoted, version))
			if status != http.StatusBadRequest || !strings.Contains(text, "found") || !strings.Contains(text, "want") {
				t.Errorf("%s of %s, version %d: got %d %s, want 400", path, quoted, version, status, text)
			}
		}
	})
}

func TestSizesThatNoDiskHolds(t *testing.T) {
	s := described(t)
	for _, size := range []string{"-1", "9223372036854775807", "100000000001", "92233720368547758070"} {
		status, text := post(t, s.URL()+"/versions/export", `{"base_path": "/models/ctr/entry", "version": 2, "size_bytes": `+size+`}`)
		if status != http.StatusBadRequest || !strings.Contains(text, "size_bytes: found") {
			t.Errorf("%s: got %d %s, want 400 for size_bytes", size, status, text)
		}
	}
}

// Goal: a version that is not there is not deleted in silence: the error names the field and what exists.
func TestVersionsThatAreNotThere(t *testing.T) {
	for _, c := range []struct {
		versions []int64
		want     string
	}{
		{[]int64{1, 7}, ""},
		{[]int64{1, 2}, "version: found 7, want one of 1, 2: /models/ctr/entry has no others"},
		{nil, "version: found 7, want none: /models/ctr/entry has no versions"},
	} {
		got := ""
		if err := (versionAsked{BasePath: "/models/ctr/entry", Version: 7}).exists(c.versions); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.versions, got, c.want)
		}
	}
}
