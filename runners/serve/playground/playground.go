package playground

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// Options says how to run a description.
type Options struct {
	// Title names the cluster on its page.
	Title string
	// Speed is the ratio of cluster time to wall time. 0 means 1.
	Speed float64
	// Monosim is the path of the program monosim. "" means the program that is running.
	Monosim string
	// Admin is the loopback address of the page and of the interface for faults. "" means neither.
	// Access says which token they want.
	Admin  string
	Access admin.Access
	// Dir is the parent of the cluster's directories. "" means the system's directory for temporary
	// files. Keep means that the directories stay after the end.
	Dir  string
	Keep bool
	// Progress is called with a line for each thing that Start waits for. nil means no calls.
	Progress func(line string)
}

// Playground is a running cluster. Only the goroutine that calls Run changes the cluster.
type Playground struct {
	o       Options
	d       *Description
	cluster *loopback.Cluster
	admin   *admin.Server
	// asked carries functions to Run's goroutine, which calls them. done is closed when Run has
	// ended.
	asked chan func()
	done  chan struct{}
	// faulty holds the faults that are on, by their claims. Only Run's goroutine uses it.
	faulty map[string]running

	mu   sync.Mutex
	view View
	news chan struct{} // channel that is closed and replaced at every new view
}

// InputError reports an invalid description or option. In this case nothing was started.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// startLimit is the longest wait, in wall time, for processes to serve.
const startLimit = 60 * time.Second

// Start starts the described cluster. It returns when ZooKeeper, agents and model servers serve and
// the models are published. The caller must call Close. After an error no process runs.
func Start(ctx context.Context, d *Description, o Options) (_ *Playground, err error) {
	o.Speed = cmp.Or(o.Speed, 1)
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	p := &Playground{o: o, d: d, asked: make(chan func()), done: make(chan struct{}), faulty: map[string]running{}, news: make(chan struct{})}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	if o.Admin != "" { // done first, because the address may be in use
		if p.admin, err = admin.Listen(o.Admin, p.title(), o.Access, p.actions()); err != nil {
			return nil, &InputError{err}
		}
	}
	runner := loopback.New(loopback.Options{
		Monosim: o.Monosim, Agent: loopback.OwnAgent, TimeScale: 1 / o.Speed, Dir: o.Dir, Keep: o.Keep, Admin: o.Admin != "", AdminToken: p.admin.Token(),
	})
	d.Spec.Detail = true // the page also lists the operator's actions, which only a detailed log has
	if err := runner.Check(d.Spec); err != nil {
		return nil, &InputError{fmt.Errorf("%s: %w", d.Name, err)}
	}
	o.Progress("starting ZooKeeper")
	built, err := runner.Build(d.Spec)
	if err != nil {
		return nil, err
	}
	p.cluster = built.(*loopback.Cluster)
	return p, p.rollOut(ctx)
}

func (p *Playground) title() string {
	if p.o.Title == "" {
		return "a cluster"
	}
	return "cluster " + p.o.Title
}

// rollOut starts the pods, waits for them, and then declares and publishes the models.
func (p *Playground) rollOut(ctx context.Context) error {
	p.o.Progress(fmt.Sprintf("starting %d pods", len(p.cluster.Pods())))
	if err := p.cluster.Start(); err != nil {
		return err
	}
	if err := p.await(ctx, "agents and model servers to serve", p.serving); err != nil {
		return err
	}
	for _, d := range p.d.Deploy {
		if err := p.deploy(d); err != nil {
			return fmt.Errorf("model %s: %w", d.Model.Name, err)
		}
	}
	p.look()
	return nil
}

func (p *Playground) deploy(d Deployed) error {
	for _, g := range d.Model.SubGraphs {
		if err := p.cluster.Declare(d.Model.Name, g.Name, strings.TrimSuffix(d.Model.BasePath, "/")+"/"+g.Name, d.Policy); err != nil {
			return err
		}
	}
	if !d.Publish || !p.hasLayout() {
		return nil
	}
	return p.cluster.Publish("", d.Model.Name, d.Model.SubGraphNames()...)
}

// hasLayout reports whether the agents follow a layout, as agents of version 3 do.
func (p *Playground) hasLayout() bool { return strings.Contains(p.d.Spec.Conf, "layout_pattern") }

// serving describes a process that does not serve yet, for example "the agent of shard0-replica1".
// It returns "" if all processes serve.
func (p *Playground) serving() string {
	for _, pod := range p.cluster.Endpoints().Pods {
		if pod.Agent == "" {
			return "the agent of " + pod.Name
		}
		for _, s := range pod.ModelServers {
			if !s.Serving {
				return "a model server of " + pod.Name
			}
		}
		if len(pod.ModelServers) == 0 {
			return "a model server of " + pod.Name
		}
		if _, err := p.cluster.HeartBeat(pod.Name, "ps"); err != nil {
			return fmt.Sprintf("the agent of %s: %v", pod.Name, err)
		}
	}
	return ""
}

// await waits until missing returns "". what names the awaited state for Progress.
func (p *Playground) await(ctx context.Context, what string, missing func() string) error {
	p.o.Progress("waiting for " + what)
	lacks := ""
	for limit := time.Now().Add(startLimit); time.Now().Before(limit); {
		met, err := p.cluster.Pass(time.Duration(float64(time.Second)*p.o.Speed), func() bool {
			lacks = missing()
			return lacks == "" || ctx.Err() != nil
		})
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case met:
			return nil
		}
	}
	return fmt.Errorf("waited %v for %s: %s (logs in %s)", startLimit, what, lacks, p.cluster.Keep())
}

// TokenFile returns the path of the file with the interface's token, or "" if there is none.
func (p *Playground) TokenFile() string {
	if p.admin == nil {
		return ""
	}
	return p.admin.TokenFile()
}

// AdminURL returns the address of the page and the interface, including the token. It returns ""
// if there is no interface.
func (p *Playground) AdminURL() string {
	if p.admin == nil {
		return ""
	}
	return p.admin.URL()
}

// Endpoints returns the addresses of the cluster's processes. It may only be called before Run.
func (p *Playground) Endpoints() loopback.Endpoints { return p.cluster.Endpoints() }

// lookEvery is the wall time between two updates of the view.
const lookEvery = 500 * time.Millisecond

// Run keeps the cluster running until ctx is done, and carries out what the interface asks for. The
// error is a failure of the cluster itself.
func (p *Playground) Run(ctx context.Context) error {
	defer close(p.done)
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case do := <-p.asked:
			do()
		case <-again.C:
			if _, err := p.cluster.Pass(0, nil); err != nil {
				return err
			}
			p.endDue()
		}
		p.look()
	}
}

// errEnded is the error of an action that is asked for after the end of Run.
var errEnded = errors.New("the cluster ends")

// do makes Run's goroutine call act, and waits for the result.
func (p *Playground) do(act func(c *loopback.Cluster) error) error {
	result := make(chan error, 1)
	select {
	case p.asked <- func() { result <- act(p.cluster) }:
		return <-result
	case <-p.done:
		return errEnded
	case <-time.After(startLimit):
		return errors.New("the cluster has not started yet")
	}
}

// Close closes the interface and ends every process of the cluster.
func (p *Playground) Close() {
	if err := p.admin.Close(); err != nil {
		p.o.Progress(err.Error())
	}
	if p.cluster != nil {
		p.cluster.Close()
	}
}

var _ runners.Cluster = (*loopback.Cluster)(nil)
