package playground

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

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

// actions lists the actions of the cluster.
func (p *Playground) actions() []admin.Action {
	return []admin.Action{
		admin.Serve("/", "the page, for browsers", p.page),
		admin.Serve("/live", "the state as events of a stream, at every change", p.live),
		admin.Show("/state", "pods, sessions, versions, the service map and the last events", func() (View, error) {
			view, _ := p.seen()
			return view, nil
		}),
		admin.Show("/faults", "the kinds of faults, for /faults/begin and /faults/end", p.faults),
		admin.Do("/pods/kill", "kill a pod's agent, and with it the pod", podNamed{Pod: "shard0-replica0"}, p.fault("agent.killed")),
		admin.Do("/pods/stop", "send a pod's agent SIGTERM", podNamed{Pod: "shard0-replica0"}, p.fault("agent.stopped")),
		admin.Do("/pods/start", "start a pod that has ended", podNamed{Pod: "shard0-replica0"}, p.startPod),
		admin.Do("/pods/restart", "kill a pod and start it again", podNamed{Pod: "shard0-replica0"}, p.restartPod),
		admin.Do("/modelservers/kill", "kill a pod's model server; kind is ps, entry or dense where there are several", podNamed{Pod: "shard0-replica0"}, p.fault("modelserver.killed")),
		admin.Do("/sessions/expire", "expire the session of a pod's agent", podNamed{Pod: "shard0-replica0"}, p.fault("zookeeper.expired-session")),
		admin.Do("/faults/begin", "begin any fault", faultAsked{Kind: "network.partition", From: []string{"shard0-replica0"}, To: []string{"zookeeper"}, EndAfter: admin.Span(20 * time.Second)}, p.beginFault),
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

// fault makes an action that begins a fault of a pod.
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

type faultAsked struct {
	Kind     string   `json:"kind"`
	Pod      string   `json:"pod,omitempty"`
	Server   string   `json:"server,omitempty"`
	From     []string `json:"from,omitempty"`
	To       []string `json:"to,omitempty"`
	BasePath string   `json:"base_path,omitempty"`
	N        int64    `json:"n,omitempty"`
	// Duration is a parameter of the fault, such as how slow a network is. EndAfter ends
	// the fault by itself. Both are cluster time.
	Duration admin.Span `json:"duration,omitzero"`
	EndAfter admin.Span `json:"end_after,omitzero"`
}

func (a faultAsked) fault() runners.Fault {
	return runners.Fault{Kind: a.Kind, Pod: a.Pod, Server: a.Server, From: a.From, To: a.To, BasePath: a.BasePath, N: a.N, Duration: time.Duration(a.Duration)}
}

func (p *Playground) beginFault(in faultAsked) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
		if err := c.BeginFault(in.fault()); err != nil || in.EndAfter == 0 {
			return err
		}
		return c.EndFaultAfter(in.fault(), time.Duration(in.EndAfter))
	})
}

func (p *Playground) endFault(in faultAsked) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error { return c.EndFault(in.fault()) })
}

type faultListed struct {
	Kind string `json:"kind"`
	Help string `json:"help"`
	Ends bool   `json:"ends"`
}

func (p *Playground) faults() (list []faultListed, _ error) {
	for _, k := range loopback.New(loopback.Options{}).Faults() {
		list = append(list, faultListed{Kind: k.Name, Help: k.Help, Ends: k.Ends != ""})
	}
	return list, nil
}

type versionAsked struct {
	BasePath  string `json:"base_path"`
	Version   int64  `json:"version"`
	SizeBytes int64  `json:"size_bytes,omitempty"`
}

func (a versionAsked) check() error {
	if a.BasePath == "" || a.BasePath[0] != '/' || a.Version < 1 || a.SizeBytes < 0 {
		return fmt.Errorf("version: found base_path %q, version %d and size_bytes %d, want a path from the root, a version from 1 and a size", a.BasePath, a.Version, a.SizeBytes)
	}
	return nil
}

func (p *Playground) exportVersion(in versionAsked) (admin.Nothing, error) {
	if err := in.check(); err != nil {
		return admin.Nothing{}, err
	}
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error {
		return c.ExportVersion(in.BasePath, in.Version, max(in.SizeBytes, 1))
	})
}

func (p *Playground) deleteVersion(in versionAsked) (admin.Nothing, error) {
	if err := in.check(); err != nil {
		return admin.Nothing{}, err
	}
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error { return c.DeleteVersion(in.BasePath, in.Version) })
}

type modelAsked struct {
	Model     string   `json:"model"`
	SubGraphs []string `json:"sub_graphs"`
}

func (p *Playground) publish(in modelAsked) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error { return c.Publish("", in.Model, in.SubGraphs...) })
}

func (p *Playground) unpublish(in modelAsked) (admin.Nothing, error) {
	return admin.Nothing{}, p.do(func(c *loopback.Cluster) error { return c.Unpublish("", in.Model, in.SubGraphs...) })
}

// page answers with the page, which then requests news by itself.
func (p *Playground) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	page := webpage.Begin(w, webpage.Head{Title: p.title(), Styles: []string{pageStyle}, Scripts: []string{pageScript}, Live: true})
	view, _ := p.seen()
	if err := page.Line(view); err != nil {
		return
	}
	_ = page.End() // the client is gone, so nobody needs the error
}

// live sends every new view until the client is gone or the cluster ends.
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
