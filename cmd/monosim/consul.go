package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/sim/consul/serve"
)

// consulOptions holds the flags of `monosim consul`.
type consulOptions struct {
	listen      string
	allowRemote bool
	speed       string
	admin       adminFlags
}

func newConsulCommand() *cobra.Command {
	var o consulOptions
	cmd := &cobra.Command{
		Use:   "consul",
		Short: "Serve the simulated Consul agent to real clients",
		Long: `Serve the simulated Consul agent over HTTP, for monolith's consul.py and clients
like it: services with TTL checks that are registered, passed by heartbeats, looked up
by name and deregistered. It prints the address that it listens on and serves until
it is interrupted or terminated. What is registered is in memory.

With --speed the agent's time passes faster: TTLs, and what the faults wait for.

With --admin ADDRESS a second line of output says where an HTTP interface for live
faults is: answers that fail, are garbled, late or torn, machines that are blacklisted,
an agent that forgets. GET / lists what there is with a curl command for each. It wants
the token that is printed with its address.`,
		Example: `  monosim consul
  CONSUL_HTTP_HOST=127.0.0.1 CONSUL_HTTP_PORT=2280 python train.py
  monosim consul --listen 127.0.0.1:0 --speed 60x --admin 127.0.0.1:8991 --admin-token-file admin.token
  curl -H @admin.token -d '{"status": 503, "text": "no leader"}' 127.0.0.1:8991/status`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:2280", "address to listen on; port 0 takes any that is free")
	f.BoolVar(&o.allowRemote, "allow-remote", false, "let --listen be an address that other machines reach")
	f.StringVar(&o.speed, "speed", "1x", "how much faster than the wall clock time passes, as 60x")
	o.admin.register(f, "of an HTTP interface that brings faults about")
	return cmd
}

// run serves the Consul twin until a signal arrives or a failure occurs.
func (o *consulOptions) run(cmd *cobra.Command) error {
	if err := checkListen(cmd.ErrOrStderr(), "consul", "--listen", o.listen, "127.0.0.1:2280", o.allowRemote); err != nil {
		return command.BadInput(err)
	}
	speed, err := parseSpeed(o.speed)
	if err != nil {
		return command.BadInput(err)
	}
	return serveUntilSignal(cmd, &o.admin, func() (*serving, error) {
		server, err := serve.Listen(o.listen, speed)
		if err != nil {
			return nil, command.BadInput(fmt.Errorf("consul: %w", err))
		}
		return &serving{
			title: "a Consul agent at " + server.Addr(), addr: server.Addr(), actions: admin.Consul(server), done: server.Done(),
			close: func() error {
				if err := server.Close(); err != nil {
					return fmt.Errorf("consul: %w", err)
				}
				return nil
			},
		}, nil
	})
}
