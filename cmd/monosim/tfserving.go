package main

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/monosim/monosim/cmd/monosim/command"
	"github.com/monosim/monosim/runners/serve/admin"
	"github.com/monosim/monosim/sim/tfserving/serve"
)

// modelServerName is the name under which the program is a model server without a
// subcommand. A copy or link of that name can stand in for the real one.
const modelServerName = "tensorflow_model_server"

// remoteOpMarker is a text that the reference searches the server's binary for, by `strings | grep`
// (tfs_wrapper.py:49). If the binary has the text, the reference takes it for a server that talks
// to parameter servers by gRPC, and does not pass --archon_entry_to_ps_rpc_timeout. To be taken for
// a server without the text, install a script that runs the binary: the search then reads the
// script.
const remoteOpMarker = "PredictionServiceGrpc"

// marker is a variable so that the linker keeps the text in the binary.
var marker = remoteOpMarker

func newTFServingCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tfserving --model_config_file=FILE [--port=8500] [--rest_api_port=PORT] [--flag=value ...]",
		Short: "Serve the simulated TensorFlow Serving to real clients",
		Long: `Serve the simulated tensorflow_model_server: real model directories, gRPC and REST
ports, its command line and its exit codes. It listens on 127.0.0.1 unless
--monosim_host says otherwise. --help lists the flags; as a copy or link that is
named tensorflow_model_server, the program needs no subcommand.

With --monosim_admin=127.0.0.1:8990 an HTTP interface for live faults listens there:
versions that break or are slow, requests that fail or wait, an exit. It takes and answers
JSON, and GET / lists what there is with a curl command for each. It wants the token that
is printed with its address; --monosim_admin_token_file names the file that has it as a
header, for curl -H @FILE. The ports file has its port.`,
		Example: `  monosim tfserving --model_name=ranker --model_base_path=$PWD/ranker --monosim_admin=127.0.0.1:8990 --monosim_admin_token_file=admin.token
  curl -H @admin.token 127.0.0.1:8990/state
  curl -H @admin.token -d '{"next": 2, "methods": ["Predict"], "error": "UNAVAILABLE:busy"}' 127.0.0.1:8990/requests/fail
  curl -H @admin.token -d '{"model": "ranker", "version": 3, "delay": "1s"}' 127.0.0.1:8990/versions/slow`,
		DisableFlagParsing: true, // upstream's rules for flags hold, not cobra's
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n\nExamples:\n%s\n\n", cmd.Long, cmd.Example)
			}
			return runModelServer("monosim tfserving", args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// runModelServer serves until the process ends, in place of the real model server.
func runModelServer(program string, args []string, stdout, stderr io.Writer) error {
	runtime.KeepAlive(marker)
	dieOfSignals()
	code := serve.Main(program, args, stdout, stderr, adminOfModelServer)
	if code < 0 {
		dieOf(syscall.Signal(-code))
	}
	if code != 0 {
		return &command.ExitError{Code: code}
	}
	return nil
}

// adminOfModelServer starts the HTTP interface through which users cause faults in a model server.
func adminOfModelServer(server *serve.Server, o serve.AdminOptions) (serve.AdminServer, error) {
	served, err := admin.Listen(o.Addr, "a model server", admin.Access{Token: o.Token, File: o.TokenFile}, admin.ModelServer(server))
	if err != nil {
		return nil, err
	}
	return served, nil
}

// isModelServer reports whether the program was called by the name of the real server.
func isModelServer(program string) bool {
	return strings.TrimSuffix(filepath.Base(program), ".exe") == modelServerName
}
