package node_test

import (
	"fmt"
	"path"
	"strconv"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/modelservertest"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// Goal: clients in virtual time get the same answers as clients of the model server on real
// sockets. Method: the same test cases run on both.
func TestConformance(t *testing.T) {
	for _, profile := range []tfserving.Profile{tfserving.Profile24, tfserving.ProfileHead} {
		t.Run(profile.String(), func(t *testing.T) {
			modelservertest.Run(t, func(t *testing.T) modelservertest.World { return newConforming(t, profile) })
		})
	}
}

// conforming is a world with one host for the server and one for the clients.
type conforming struct {
	t       *testing.T
	w       *vtime.World
	client  *network.Host
	host    *network.Host
	fs      *files.FS
	profile tfserving.Profile
	server  *vtime.Process
}

func newConforming(t *testing.T, profile tfserving.Profile) *conforming {
	w := vtime.New(vtime.Config{Seed: 7, CheckOwner: true})
	t.Cleanup(w.Close)
	n := network.New(w, network.DefaultLatency())
	return &conforming{
		t: t, w: w, profile: profile, fs: files.NewFS(w),
		client: n.AddHost("a", "a", "10.0.0.1"), host: n.AddHost("b", "b", "10.0.0.2"),
	}
}

func (c *conforming) must(err error) {
	if err != nil {
		c.t.Error(err)
	}
}

func (c *conforming) NewProcess(name string) modelservertest.Process {
	p := c.client.Node().NewProcess(name)
	return life{p, &node.Clients{Proc: p, Host: c.client}}
}

const conformingPort = 8500

func (c *conforming) StartServer() error {
	o := tfserving.DefaultOptions(c.profile)
	o.Port = conformingPort
	o.InitialConfig = &modelconfig.ServerConfig{Kind: modelconfig.ModelList}
	o.MaxNumLoadRetries = 0
	p := c.host.Node().NewProcess("tensorflow_model_server")
	node.Start(node.Config{
		Options: o, Proc: p, Host: c.host, Files: c.fs, Dir: "/",
		Exit: func(code int, stdout string) { c.t.Errorf("the server exits with %d: %s", code, stdout) },
	})
	c.server = p
	return nil
}

func (c *conforming) KillServer()  { c.server.Crash() }
func (c *conforming) Addr() string { return fmt.Sprintf("b:%d", conformingPort) }
func (c *conforming) Newer() bool  { return c.profile == tfserving.ProfileHead }

func (c *conforming) BasePath(model string) string { return path.Join("/models", model) }
func (c *conforming) AddBase(model string)         { c.must(c.fs.MkdirAll(c.BasePath(model))) }

func (c *conforming) AddVersion(model string, version int64) {
	c.must(c.fs.AddModelVersion(c.BasePath(model), version, 1<<20))
}

func (c *conforming) AddEmpty(model string, version int64) {
	c.must(c.fs.MkdirAll(path.Join(c.BasePath(model), strconv.FormatInt(version, 10))))
}

func (c *conforming) Wait() error {
	_, err := c.w.Run(vtime.Limits{Until: time.Hour})
	for _, task := range c.w.Blocked() {
		err = fmt.Errorf("%v has not ended", task)
	}
	return err
}

// life is a process together with its model server clients.
type life struct {
	*vtime.Process
	models env.ModelServers
}

func (l life) Models() env.ModelServers { return l.models }
