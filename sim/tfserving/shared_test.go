package tfserving

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Goal: servers behave the same with and without sharing, keep equal data only once, and never
// change shared data. Method: two servers with equal files. One gets another config, and both get
// requests.
func TestServersThatAreAlikeShare(t *testing.T) {
	list := func(names ...string) []byte {
		var b strings.Builder
		b.WriteString("model_config_list {\n")
		for _, n := range names {
			fmt.Fprintf(&b, "config { name: %q base_path: \"/%s\" model_platform: \"tensorflow\" model_version_policy { specific { versions: 2 versions: 1 } } }\n", n, n)
		}
		b.WriteString("}\n")
		return []byte(b.String())
	}
	both, one := list("a", "b"), list("b")
	story := func(shared *Shared) string {
		var log []string
		var servers []*Server
		var hosts []*testHost
		for i := range 2 {
			h := newTestHost()
			for _, dir := range []string{"/a", "/a/1", "/a/2", "/b", "/b/1", "/b/2"} {
				h.disk.mkdir(dir)
			}
			for _, dir := range []string{"/a/1", "/a/2", "/b/1", "/b/2"} {
				h.disk.files[dir+"/saved_model.pb"] = testFile{data: []byte("stand-in"), size: 8}
			}
			path := fmt.Sprintf("/config%d", i)
			h.disk.files[path] = testFile{data: both}
			o := DefaultOptions(Profile24)
			o.ModelConfigFile, o.ModelConfigFilePollWaitSeconds, o.Shared = path, 1, shared
			o.Cost.StartTime = time.Duration(i) * time.Second
			s := New(o, h)
			s.OnEvent = func(e Event) { log = append(log, fmt.Sprint(i, e.At, e.Model, e.Version, e.State, e.Err)) }
			s.Start()
			servers, hosts = append(servers, s), append(hosts, h)
		}
		for step := range 12 {
			if step == 5 {
				hosts[0].disk.files["/config0"] = testFile{data: one}
				for _, w := range hosts[0].disk.watches {
					w.fn()
				}
			}
			for i, h := range hosts {
				h.runTo(time.Duration(step+1) * time.Second)
				versions, err := servers[i].Status(env.ModelSpec{Name: "a"})
				log = append(log, fmt.Sprint(i, h.now, versions, err))
			}
		}
		if same := servers[0].options == servers[1].options; same != (shared != nil) {
			t.Errorf("the servers have the same options: %v, want it when they share", same)
		}
		return strings.Join(log, "\n")
	}
	shared := NewShared()
	if got, want := story(shared), story(nil); got != want || !strings.Contains(want, "END") {
		t.Errorf("servers that share:\n%s\nwant what others do, with ends:\n%s", got, want)
	}
	again := story(shared)
	if want := story(nil); again != want {
		t.Errorf("servers after them:\n%s\nwant\n%s", again, want)
	}
	if len(shared.options) != 1 || len(shared.standIns) != 4 {
		t.Errorf("shared are %d options and %d models, want 1 and 4", len(shared.options), len(shared.standIns))
	}
}

// Goal: the fake, which writes to its config (TFS-17.1 item 4), and real servers leave parsed files as they
// are for others. Method: servers of each kind read a file, and then it is read once more.
func TestServersLeaveParsedFilesAlone(t *testing.T) {
	content := []byte(`model_config_list { config { name: "a" base_path: "/a" model_version_policy { specific { versions: 2 versions: 1 } } } }`)
	for _, profile := range []Profile{Profile24, ProfilePythonFake} {
		h := newTestHost()
		h.disk.files["/config"] = testFile{data: content}
		o := DefaultOptions(profile)
		o.ModelConfigFile, o.FakeBugs = "/config", true
		s := New(o, h)
		s.Start()
		h.runTo(time.Second)
		got, err := configTexts.Read(s.messages().before(content))
		want, wrong := parseConfigText(s.messages(), content)
		if err != nil || wrong != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: got %v, %v, want it as it was read: %v, %v", profile, got, err, want, wrong)
		}
	}
}
