package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

func (s *Server) start() {
	if d := s.startTime; d > 0 {
		s.timers.Sleep(d, s.buildAndStart)
		return
	}
	s.buildAndStart()
}

// buildAndStart executes upstream's BuildAndStart (model_servers/server.cc:183-460).
func (s *Server) buildAndStart() {
	if s.fake != nil {
		s.startFake()
		return
	}
	if s.options.DisplayVersion {
		s.exit(0, s.profile.versionText())
		return
	}
	if unknown := s.options.UnknownArgs; len(unknown) > 0 {
		s.infof("unknown argument: %s", unknown[0])
	}
	look(s, s.readStartFiles, func(files startFiles) {
		if files.err != nil {
			s.failStart(files.err)
			return
		}
		s.options = files.platforms.apply(s.options)
		s.firstConfig(files.config)
	})
}

func (s *Server) firstConfig(config modelconfig.ServerConfig) {
	s.manager.start()
	s.core.reload(config, func(err *env.RPCError) {
		if err != nil {
			s.failStart(err)
			return
		}
		s.configPoll.start()
		s.serve()
	})
}

// versionText returns the output of --version (model_servers/main.cc:325-330).
func (p Profile) versionText() string {
	version := "2.4.0"
	if p == ProfileHead {
		version = "2.20.0"
	}
	return "TensorFlow ModelServer: " + version + "\nTensorFlow Library: " + version + "\n"
}

// serve reads the files that are read last in a start, and opens the ports (TFS-9.1).
func (s *Server) serve() {
	look(s, s.readServingFiles, func(found servingFiles) {
		switch {
		case found.crash:
			s.exit(-6, "")
		case found.err != nil:
			s.failStart(found.err)
		default:
			s.open()
		}
	})
}

func (s *Server) open() {
	s.serving = true
	if s.onServing != nil {
		s.onServing()
	}
}

// failStart ends the process as the end of upstream's main does (model_servers/main.cc:341-348).
// main returns -1, which the parent process sees as exit code 255.
func (s *Server) failStart(err *env.RPCError) {
	s.exit(255, "Failed to start server. Error: "+s.profile.StatusString(err)+"\n")
}

// FailToListen ends the process because its gRPC port is taken (model_servers/server.cc:426-428).
// The code that opens the ports calls it. A taken REST port is not fatal: upstream only logs it.
func (s *Server) FailToListen() {
	if s.fake != nil {
		s.exit(1, "")
		return
	}
	s.failStart(statusf(rpcerrors.InvalidArgument, "Failed to BuildAndStart gRPC server"))
}

// startConfig checks the flags and reads the first config (TFS-9.2).
func (s *Server) startConfig(disk Storage) (modelconfig.ServerConfig, *env.RPCError) {
	o := s.options
	if err := s.checkPorts(); err != nil {
		return modelconfig.ServerConfig{}, err
	}
	switch {
	case o.InitialConfig != nil:
		return *o.InitialConfig, nil
	case o.ModelBasePath == "" && s.configFile == "":
		return modelconfig.ServerConfig{}, statusf(rpcerrors.InvalidArgument,
			"Both server_options.model_base_path and server_options.model_config_file are empty!")
	case s.configFile != "":
		file := s.readConfigFile(disk)
		return file.config, file.err
	}
	s.infof("Building single TensorFlow model file config:  model_name: %s model_base_path: %s", o.ModelName, o.ModelBasePath)
	return modelconfig.ServerConfig{Kind: modelconfig.ModelList, Models: []modelconfig.ModelConfig{
		{Name: o.ModelName, BasePath: o.ModelBasePath, Platform: modelconfig.TensorFlowPlatform},
	}}, nil
}

func (s *Server) checkPorts() *env.RPCError {
	o := s.options
	switch {
	case o.Port == 0 && s.profile == Profile24:
		return statusf(rpcerrors.InvalidArgument, "server_options.grpc_port is not set.")
	case o.Port == 0 && o.GRPCSocketPath == "":
		return statusf(rpcerrors.InvalidArgument,
			"At least one of server_options.grpc_port or server_options.grpc_socket_path must be set.")
	case o.UseALTSCredentials && o.SSLConfigFile != "":
		return statusf(rpcerrors.InvalidArgument, "Either use_alts_credentials must be false or ssl_config_file must be empty.")
	}
	return nil
}
