package gotestee

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving"
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
		badCasef("in.server.config_file: found one, want it in FakeTFServing.sequence alone")
	}
	given.options.Port = fakePort
	tfserving.StartNode(tfserving.NodeConfig{
		Options: given.options, Proc: c.machine.Node.NewProcess("fake model server"), Host: c.machine.Net, Files: c.machine.FS,
		Dir: "/", Exit: func(int, string) {},
	})
	channels := map[string]env.Channel{}
	calls := []any{}
	for i, v := range c.in.list("calls") {
		fields, ok := v.([]any)
		if !ok || len(fields) != 3 {
			badCasef("in.calls[%d]: found %v, want [address, method, request]", i, v)
		}
		a := arguments{Dict: object("address", fields[0], "method", fields[1], "request", fields[2]), where: fmt.Sprintf("in.calls[%d]", i)}
		address := a.str("address")
		if channels[address] == nil {
			channels[address] = c.env.Network.Dial(fmt.Sprintf("%s:%d", address, fakePort))
			defer channels[address].Close()
		}
		c.env.Tasks.Sleep(time.Second)
		calls = append(calls, outcomeOf(a.str("method"), a, func(method string, request []byte) ([]byte, error) {
			return channels[address].Call(method, request, 0)
		}))
	}
	return object("listening", []any{tfserving.FakeListenHost}, "workers", tfserving.FakeWorkers, "calls", calls), nil
}
