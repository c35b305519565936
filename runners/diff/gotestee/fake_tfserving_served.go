package gotestee

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// fakePort is where the fake of a case listens.
const fakePort = 8500

// fakeServerServed starts the fake on the case's host and calls it over the simulated
// network.
func (c *call) fakeServerServed() (any, error) {
	given, err := c.fakeServer()
	if err != nil {
		return nil, err
	}
	if given.options.ModelConfigFile != "" {
		caseworld.BadCasef("in.server.config_file: found one, want it in FakeTFServing.sequence alone")
	}
	given.options.Port = fakePort
	node.Start(node.Config{
		Options: given.options, Proc: c.Machine.Node.NewProcess("fake model server"), Host: c.Machine.Net, Files: c.Machine.FS,
		Dir: "/", Exit: func(int, string) {}, Output: c.Env.Log.Logf,
	})
	channels := map[string]env.Channel{}
	calls := []any{}
	for i, v := range c.In.List("calls") {
		fields, ok := v.([]any)
		if !ok || len(fields) != 3 {
			caseworld.BadCasef("in.calls[%d]: found %v, want [address, method, request]", i, v)
		}
		a := caseworld.Arguments{Dict: caseworld.Object("address", fields[0], "method", fields[1], "request", fields[2]), Where: fmt.Sprintf("in.calls[%d]", i)}
		address := a.Str("address")
		if channels[address] == nil {
			channels[address] = c.Env.Network.Dial(fmt.Sprintf("%s:%d", address, fakePort))
			defer channels[address].Close()
		}
		c.Env.Tasks.Sleep(time.Second)
		calls = append(calls, outcomeOf(a.Str("method"), a, func(method string, request []byte) ([]byte, error) {
			return channels[address].Call(method, request, 0)
		}))
	}
	c.Env.Tasks.Sleep(time.Second)
	return caseworld.Object("listening", []any{fake.ListenHost}, "workers", fake.Workers, "calls", calls), nil
}
