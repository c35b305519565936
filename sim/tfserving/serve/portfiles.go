package serve

import (
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/sim/tfserving"
)

// portFiles are the files that say how ports are served; the machine has looked at
// them before, and did not keep them.
type portFiles struct {
	ssl        config.SSLConfig
	sslErr     *env.RPCError
	monitoring config.MonitoringConfig // empty when the file has none
}

func (f *portFiles) read(disk tfserving.Storage, o *tfserving.Options) {
	if file := o.SSLConfigFile; file != "" {
		f.sslErr = readText(disk, file, &f.ssl)
	}
	if file := o.MonitoringConfigFile; file != "" && readText(disk, file, &f.monitoring) != nil {
		f.monitoring.Reset()
	}
}

// readText reads a text proto as ParseProtoTextFile does.
func readText(disk tfserving.Storage, file string, message proto.Message) *env.RPCError {
	data, err := disk.ReadFile(file)
	if err != nil {
		return asStatus(err)
	}
	if textpb.Unmarshal(string(data), message) != nil {
		return &env.RPCError{Code: env.InvalidArgument, Message: "Invalid protobuf file: '" + file + "'"}
	}
	return nil
}

func asStatus(err error) *env.RPCError {
	if e, ok := err.(*env.RPCError); ok {
		return e
	}
	return &env.RPCError{Code: env.Unknown, Message: err.Error()}
}
