package model

import (
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/jsonmodel"
)

// These environment variables give the values of flags that are not set.
const (
	modelVariable = "MONOLITH_MODEL_DIR"
	portVariable  = "MONOLITH_SERVE_PORT"
)

func newServe() *cobra.Command {
	o := jsonmodel.ServeDefaults()
	cmd := &cobra.Command{
		Use:   "serve-model --model-dir DIR",
		Short: "Serve an exported model by gRPC until it is interrupted",
		Long: `Serve a model that monosim export made, or a directory of versions of a SavedModel, by gRPC
until it is interrupted or terminated; requests in flight are answered then, for up to 30 s.
Flags, defaults and errors are those of the serve command of monolith's Rust port, but for the
host, which is 127.0.0.1. The server is the simulated TensorFlow Serving: it knows the model
by the name of its directory. A SavedModel answers by its graph where that can be run; what any
other answers follows from the signature and not from the weights. An empty directory is served,
too, with a warning. This is inference; where models are served is told by the AgentService of
monosim agent, which is discovery, not inference, and has no part in it.

Two more addresses can be served. ParameterSyncRpc takes embeddings that a training pushes, and
says in the end how many there are; no answer follows from them. PredictionService takes
examples in a serialized ExampleBatchRowMajor or Example, as the port's server does, where the
primary one takes a string for each. One that cannot be opened is logged, and the others serve.
The port's --enable-logging and --model-version do nothing there and are not here.

The port is printed once it is open. The exit code is 0 after a signal, 2 when the model or
the address cannot be served, and 1 when the server ends by itself.`,
		Example: `  monosim serve-model -d exported/ranker
  monosim serve-model -d exported/ranker --port 8600 --workers 8
  monosim serve-model -d exported/ranker --parameter-sync-bind-addr 127.0.0.1:8510 --tfserving-bind-addr 127.0.0.1:8520`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd, o) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.Dir, "model-dir", "d", "", "directory of the model (default: the variable "+modelVariable+")")
	flags.Uint16VarP(&o.Port, "port", "p", o.Port, "port for gRPC; the variable "+portVariable+" where it is not given")
	flags.IntVarP(&o.Workers, "workers", "w", o.Workers, "requests that are worked on at once")
	flags.StringVar(&o.Host, "host", o.Host, "address to listen on; 0.0.0.0 and :: are all, which other machines reach")
	flags.BoolVar(&o.HealthCheck, "health-check", o.HealthCheck, "write down where health would be asked for")
	flags.Uint16Var(&o.HealthPort, "health-port", 0, "port for that, which is only written down (default: the one after --port)")
	flags.Uint64Var(&o.MaxBatchSize, "max-batch-size", o.MaxBatchSize, "size of a batch, which is only written down")
	flags.Uint64Var(&o.BatchTimeoutMs, "batch-timeout-ms", o.BatchTimeoutMs, "time that a batch waits, in ms, which is only written down")
	flags.StringVar(&o.ParameterSyncBindAddr, "parameter-sync-bind-addr", "", "address for pushes of embeddings, an IP address with a port")
	flags.StringVar(&o.TFServingBindAddr, "tfserving-bind-addr", "", "address for PredictionService with examples, an IP address with a port")
	return cmd
}

func runServe(cmd *cobra.Command, o jsonmodel.ServeOptions) error {
	flags := cmd.Flags()
	if !flags.Changed("model-dir") {
		o.Dir = os.Getenv(modelVariable)
	}
	if o.Dir == "" {
		return command.BadInput(fmt.Errorf("--model-dir: found none, want a directory, there or in %s; see %s --help", modelVariable, cmd.CommandPath()))
	}
	if text, ok := os.LookupEnv(portVariable); ok && !flags.Changed("port") {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return command.BadInput(fmt.Errorf("%s: found %q, want a port", portVariable, text))
		}
		o.Port = uint16(port)
	}
	ctx, stop := command.UntilSignal(cmd.Context())
	defer stop()
	log := func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "serve-model: "+text) }
	served := false
	err := jsonmodel.Serve(ctx, o, log, func(port int) {
		served = true
		fmt.Fprintf(cmd.OutOrStdout(), "%d\n", port)
	})
	switch {
	case err == nil:
		return nil
	case served:
		return fmt.Errorf("serve-model: %w", err)
	}
	return command.BadInput(fmt.Errorf("serve-model: %w", err))
}
