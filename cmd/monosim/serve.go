package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/playground"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// serveOptions holds the flags of `monosim serve`.
type serveOptions struct {
	speed   string
	admin   adminFlags
	json    bool
	example bool
	schema  bool
	keep    string
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve CLUSTER.yaml",
		Short: "Keep a cluster of processes running, to develop against",
		Long: `Start what a description says on the loopback of this machine, each a process: a
ZooKeeper, agents and their model servers, with models declared and published. When all
serve it prints their addresses, as a table or with --json as one JSON object, and keeps
them running until it is interrupted or terminated; then everything ends.

With --admin ADDRESS there is an HTTP interface for what happens to clusters: pods that
are killed and restarted, sessions that expire, networks that are cut, versions and
models that come and go. GET / lists what there is with a curl command for each; in a
browser it is a page that shows the cluster live. The processes have interfaces of their
own then, which the addresses name. All of them want the token that is printed with the
addresses: a file of mode 600 has it as a header, for curl -H @FILE.

Nothing outside of the cluster's directory is written: not by a name, nor through a link.
What faults take from its models is there again at its end, and where it was killed, at
the next start with the same --keep.

--example prints a description to begin with, --schema the JSON schema of descriptions.`,
		Example: `  monosim serve --example > cluster.yaml
  monosim serve --schema > cluster.schema.json
  monosim serve cluster.yaml --admin 127.0.0.1:8990 --admin-token-file admin.token
  curl -H @admin.token -d '{"pod": "shard0-replica1"}' 127.0.0.1:8990/pods/kill
  monosim serve cluster.yaml --json --speed 10x`,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.example && o.schema {
				return command.BadInput(errors.New("found --example and --schema, want one of them"))
			}
			if o.example || o.schema {
				return command.NoArguments(cmd, args)
			}
			if len(args) == 1 {
				return nil
			}
			return command.BadInput(fmt.Errorf("found %d descriptions, want one, as cluster.yaml; monosim serve --example prints one", len(args)))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.example {
				_, err := io.WriteString(cmd.OutOrStdout(), playground.Example)
				return err
			}
			if o.schema {
				_, err := cmd.OutOrStdout().Write(playground.Schema())
				return err
			}
			return o.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.speed, "speed", "1x", "how much faster than the wall clock time passes, as 10x")
	o.admin.register(f, "of the interface for faults and of the page")
	f.BoolVar(&o.json, "json", false, "print the addresses as JSON")
	f.BoolVar(&o.example, "example", false, "print a description and end")
	f.BoolVar(&o.schema, "schema", false, "print the JSON schema of descriptions, for editors, and end")
	f.StringVar(&o.keep, "keep", "", "directory in which all that the processes write stays")
	return cmd
}

// run serves the cluster until a signal arrives or a failure occurs.
func (o *serveOptions) run(cmd *cobra.Command, name string) error {
	speed, err := parseSpeed(o.speed)
	if err != nil {
		return command.BadInput(err)
	}
	if err := o.admin.check(cmd); err != nil {
		return command.BadInput(err)
	}
	d, err := playground.Read(name)
	if err != nil {
		return command.BadInput(err)
	}
	if o.keep != "" {
		if err := os.MkdirAll(o.keep, 0o755); err != nil {
			return command.BadInput(fmt.Errorf("--keep: %w", err))
		}
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := playground.Start(ctx, d, playground.Options{
		Title: strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), Speed: speed, Admin: o.admin.addr, Access: o.admin.access, Dir: o.keep, Keep: o.keep != "",
		Progress: func(line string) { fmt.Fprintln(cmd.ErrOrStderr(), "serve: "+line) },
	})
	var input *playground.InputError
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case errors.As(err, &input):
		return command.BadInput(fmt.Errorf("serve: %w", err))
	case err != nil:
		return fmt.Errorf("serve: %w", err)
	}
	defer p.Close()
	if err := o.print(cmd.OutOrStdout(), p); err != nil {
		return err
	}
	o.admin.tell(cmd.ErrOrStderr(), p.TokenFile())
	fmt.Fprintln(cmd.ErrOrStderr(), "serve: running; Ctrl-C ends it all")
	if err := p.Run(ctx); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// servedAddresses holds the addresses of the servers, as --json prints them.
type servedAddresses struct {
	Admin string `json:"admin,omitempty"`
	loopback.Endpoints
}

func (o *serveOptions) print(out io.Writer, p *playground.Playground) error {
	all := servedAddresses{Admin: p.AdminURL(), Endpoints: p.Endpoints()}
	if o.json {
		return json.NewEncoder(out).Encode(all)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(what, addr, note string) { fmt.Fprintf(w, "%s\t%s\t%s\n", what, addr, note) }
	if all.Admin != "" {
		row("page and admin", all.Admin, "")
	}
	row("zookeeper", all.ZooKeeper, all.ZooKeeperAdmin)
	for _, pod := range all.Pods {
		row(pod.Name+" agent", pod.Agent, "")
		for _, s := range pod.ModelServers {
			row(strings.TrimSpace(pod.Name+" model server "+s.Kind), s.GRPC, s.Admin)
		}
	}
	return w.Flush()
}
