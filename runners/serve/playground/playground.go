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
	// Speed is how much faster than the wall clock its time passes; 0 means 1.
	Speed float64
	// Monosim is the program monosim; "" means the one that runs now.
	Monosim string
	// Admin is the loopback address of the interface for faults and of the page, "" for none.
	// Access says by which token they are used.
	Admin  string
	Access admin.Access
	// Dir is the parent of the cluster's directories; "" means the system's directory for
	// temporary files. Keep keeps them after the end.
	Dir  string
	Keep bool
	// Progress gets a line about what Start is waiting for.
	Progress func(line string)
}

// Playground is a running cluster. Only the goroutine of Run acts on it.
type Playground struct {
	o       Options
	d       *Description
	cluster *loopback.Cluster
	admin   *admin.Server
	// asked carries acts to Run's goroutine; done is closed when Run accepts no more.
	asked chan func()
	done  chan struct{}

	mu   sync.Mutex
	view View
	news chan struct{} // closed and replaced at every view
}

// InputError reports a bad description or option. Nothing was started.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

func (e *InputError) Unwrap() error { return e.Err }

// startLimit is the wall time in which processes have to serve, beside the cluster's own time.
const startLimit = 60 * time.Second

// Start starts a described cluster. It returns once ZooKeeper, agents and model servers
// serve and models are published. The caller must call Close. After an error nothing runs.
func Start(ctx context.Context, d *Description, o Options) (_ *Playground, err error) {
	o.Speed = cmp.Or(o.Speed, 1)
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	p := &Playground{o: o, d: d, asked: make(chan func()), done: make(chan struct{}), news: make(chan struct{})}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	if o.Admin != "" { // the address may be in use, so this comes first
		if p.admin, err = admin.Listen(o.Admin, p.title(), o.Access, p.actions()); err != nil {
			return nil, &InputError{err}
		}
	}
	runner := loopback.New(loopback.Options{
		Monosim: o.Monosim, Agent: loopback.OwnAgent, TimeScale: 1 / o.Speed, Dir: o.Dir, Keep: o.Keep, Admin: o.Admin != "", AdminToken: p.admin.Token(),
	})
	d.Spec.Detail = true // for what the operator does, which the page lists, too
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

// rollOut starts the pods, then declares and publishes the models.
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

// hasLayout reports whether the agents read a layout, as those of version 3 do.
func (p *Playground) hasLayout() bool { return strings.Contains(p.d.Spec.Conf, "layout_pattern") }

// serving names a process that does not serve yet, "" if all do.
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

// await waits until missing returns "".
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

// TokenFile returns the file with the token of the interface, "" for none.
func (p *Playground) TokenFile() string {
	if p.admin == nil {
		return ""
	}
	return p.admin.TokenFile()
}

// AdminURL returns the address of the interface and the page, with the token, "" without one.
func (p *Playground) AdminURL() string {
	if p.admin == nil {
		return ""
	}
	return p.admin.URL()
}

// Endpoints returns the addresses of the processes. Call it before Run.
func (p *Playground) Endpoints() loopback.Endpoints { return p.cluster.Endpoints() }

// lookEvery is the wall time between two looks at the cluster.
const lookEvery = 500 * time.Millisecond

// Run keeps the cluster until ctx is done, and performs the acts that the interface asks
// for. The error is a failure of the cluster itself.
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
		}
		p.look()
	}
}

// errEnded answers an act that comes after the end of Run.
var errEnded = errors.New("the cluster ends")

// do makes Run's goroutine perform an act, and waits for it.
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

// Close ends every process of the cluster.
func (p *Playground) Close() {
	if err := p.admin.Close(); err != nil {
		p.o.Progress(err.Error())
	}
	if p.cluster != nil {
		p.cluster.Close()
	}
}

var _ runners.Cluster = (*loopback.Cluster)(nil)
