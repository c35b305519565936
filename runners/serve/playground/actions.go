package playground

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/runners/show/webpage"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// actions lists the admin actions of the cluster.
func (p *Playground) actions() []admin.Action {
	return []admin.Action{
		admin.Serve("/", "the page, for browsers", p.page),
		admin.Serve("/live", "the state as events of a stream, at every change", p.live),
		admin.Show("/state", "pods, sessions, versions, the service map and the last events", func() (View, error) {
			view, _ := p.seen()
			return view, nil
		}),
		admin.Show("/faults", "the kinds of faults of this cluster, for /faults/begin and /faults/end", p.faults),
		admin.Do("/pods/kill", "kill a pod's agent, and with it the pod", podNamed{Pod: "shard0-replica0"}, p.fault("agent.killed")),
		admin.Do("/pods/stop", "send a pod's agent SIGTERM", podNamed{Pod: "shard0-replica0"}, p.fault("agent.stopped")),
		admin.Do("/pods/start", "start a pod that has ended", podNamed{Pod: "shard0-replica0"}, p.startPod),
		admin.Do("/pods/restart", "kill a pod and start it again", podNamed{Pod: "shard0-replica0"}, p.restartPod),
		admin.Do("/modelservers/kill", "kill a pod's model server; kind is ps, entry or dense where there are several", podNamed{Pod: "shard0-replica0"}, p.fault("modelserver.killed")),
		admin.Do("/sessions/expire", "expire the session of a pod's agent", podNamed{Pod: "shard0-replica0"}, p.fault("zookeeper.expired-session")),
		admin.Do("/faults/begin", "begin one of /faults", faultAsked{Kind: "network.partition", From: []string{"shard0-replica0"}, To: []string{"zookeeper"}, EndAfter: admin.Span(20 * time.Second)}, p.beginFault),
		admin.Do("/faults/end", "end it again", faultAsked{Kind: "network.partition", From: []string{"shard0-replica0"}, To: []string{"zookeeper"}}, p.endFault),
		admin.Do("/versions/export", "add a version of a sub-graph", versionAsked{BasePath: "/models/ctr/entry", Version: 2, SizeBytes: 2e6}, p.exportVersion),
		admin.Do("/versions/delete", "delete a version of a sub-graph", versionAsked{BasePath: "/models/ctr/entry", Version: 1}, p.deleteVersion),
		admin.Do("/models/publish", "add sub-graphs of a model to the layout", modelAsked{Model: "ctr", SubGraphs: []string{"entry"}}, p.publish),
		admin.Do("/models/unpublish", "take sub-graphs of a model out of the layout", modelAsked{Model: "ctr", SubGraphs: []string{"entry"}}, p.unpublish),
	}
}

type podNamed struct {
	Pod  string `json:"pod"`
	Kind string `json:"kind,omitempty"`
}

// fault makes an action that begins a fault of this kind at a pod.
func (p *Playground) fault(kind string) func(podNamed) (admin.Nothing, error) {
	return func(in podNamed) (admin.Nothing, error) {
		return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
			return c.BeginFault(runners.Fault{Kind: kind, Pod: in.Pod, Server: in.Kind})
		})
	}
}

func (p *Playground) startPod(in podNamed) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error { return c.StartPod(in.Pod) })
}

func (p *Playground) restartPod(in podNamed) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
		if state, err := c.PodState(in.Pod); err != nil {
			return err
		} else if state.Running {
			if err := c.BeginFault(runners.Fault{Kind: "agent.killed", Pod: in.Pod}); err != nil {
				return err
			}
		}
		return c.StartPod(in.Pod)
	})
}

type versionAsked struct {
	BasePath  string `json:"base_path"`
	Version   int64  `json:"version"`
	SizeBytes int64  `json:"size_bytes,omitempty"`
}

// check returns an error for a version of an impossible size or number, or of an unknown base path.
func (a versionAsked) check(d *Description) error {
	if a.SizeBytes < 0 || a.SizeBytes > mostBytes {
		return fmt.Errorf("size_bytes: found %d, want at most %d, and 0 for the least", a.SizeBytes, int64(mostBytes))
	}
	return cmp.Or(d.known(a.BasePath), checkVersion("version", a.Version))
}

func checkVersion(field string, version int64) error {
	if version < 1 {
		return fmt.Errorf("%s: found %d, want 1 or more", field, version)
	}
	return nil
}

// known returns an error unless basePath is the base path of one of the cluster's sub-graphs.
func (d *Description) known(basePath string) error {
	var all []string
	for _, m := range d.Spec.Models {
		for _, g := range m.SubGraphs {
			all = append(all, m.SubGraphPath(g.Name))
		}
	}
	return oneOf("base_path", basePath, all)
}

func oneOf(field, name string, all []string) error {
	switch {
	case slices.Contains(all, name):
		return nil
	case len(all) == 0:
		return fmt.Errorf("%s: found %q, want none: the cluster has no models", field, name)
	}
	return fmt.Errorf("%s: found %q, want one of %s", field, name, strings.Join(all, ", "))
}

func (p *Playground) exportVersion(in versionAsked) (admin.Nothing, error) {
	if err := in.check(p.d); err != nil {
		return admin.Nothing{}, err
	}
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
		return ofBasePath(c.ExportVersion(in.BasePath, in.Version, max(in.SizeBytes, 1)))
	})
}

func (p *Playground) deleteVersion(in versionAsked) (admin.Nothing, error) {
	if err := in.check(p.d); err != nil {
		return admin.Nothing{}, err
	}
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
		versions, err := c.Versions(in.BasePath)
		if err != nil {
			return ofBasePath(err)
		}
		if err := in.exists(versions); err != nil {
			return err
		}
		return ofBasePath(c.DeleteVersion(in.BasePath, in.Version))
	})
}

// ofBasePath names the field whose directory could not be used.
func ofBasePath(err error) error {
	if err != nil {
		return fmt.Errorf("base_path: %w", err)
	}
	return nil
}

// exists returns an error unless the version is one of those that the base path has.
func (a versionAsked) exists(versions []int64) error {
	switch {
	case slices.Contains(versions, a.Version):
		return nil
	case len(versions) == 0:
		return fmt.Errorf("version: found %d, want none: %s has no versions", a.Version, a.BasePath)
	}
	names := lists.Map(versions, func(v int64) string { return strconv.FormatInt(v, 10) })
	return fmt.Errorf("version: found %d, want one of %s: %s has no others", a.Version, strings.Join(names, ", "), a.BasePath)
}

type modelAsked struct {
	Model     string   `json:"model"`
	SubGraphs []string `json:"sub_graphs"`
}

// check returns an error for an unknown model, and for a sub-graph that the model does not have.
func (a modelAsked) check(d *Description) error {
	var models []string
	for _, m := range d.Spec.Models {
		if m.Name != a.Model {
			models = append(models, m.Name)
			continue
		}
		for _, g := range a.SubGraphs {
			if err := oneOf("sub_graphs", g, m.SubGraphNames()); err != nil {
				return err
			}
		}
		return nil
	}
	return oneOf("model", a.Model, models)
}

func (p *Playground) publish(in modelAsked) (admin.Nothing, error) {
	if err := in.check(p.d); err != nil {
		return admin.Nothing{}, err
	}
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error { return c.Publish("", in.Model, in.SubGraphs...) })
}

func (p *Playground) unpublish(in modelAsked) (admin.Nothing, error) {
	if err := in.check(p.d); err != nil {
		return admin.Nothing{}, err
	}
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error { return c.Unpublish("", in.Model, in.SubGraphs...) })
}

// page answers with the HTML page, which then requests updates by itself.
func (p *Playground) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	page := webpage.Begin(w, webpage.Head{Title: p.title(), Styles: []string{pageStyle}, Scripts: []string{pageScript}, Live: true})
	view, _ := p.seen()
	if err := page.Line(view); err != nil {
		return
	}
	_ = page.End() // the client is gone, so nobody can be told of the error
}

// live sends each new view as an event until the client disconnects or the cluster ends.
func (p *Playground) live(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	out := http.NewResponseController(w)
	for {
		view, news := p.seen()
		text, err := json.Marshal(view)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-news:
		case <-r.Context().Done():
			return
		case <-p.done:
			return
		}
	}
}
