package tfserving

import (
	"github.com/monosim/monosim/engine/env"
)

// start is BuildAndStart (model_servers/server.cc:183-460).
func (s *Server) start() {
	if s.fake != nil {
		s.fake.start()
		return
	}
	if s.options.DisplayVersion {
		s.exit(0, s.profile.versionText())
		return
	}
	if unknown := s.options.UnknownArgs; len(unknown) > 0 {
		s.infof("unknown argument: %s", unknown[0])
	}
	config, err := s.startConfig()
	if err == nil {
		err = s.readPlatformFiles()
	}
	if err != nil {
		s.failStart(err)
		return
	}
	s.manager.start()
	s.core.reload(config, func(err *env.RPCError) {
		if err != nil {
			s.failStart(err)
			return
		}
		s.configPoll.start()
		s.open()
	})
}

// versionText is what --version prints (model_servers/main.cc:325-330).
func (p Profile) versionText() string {
	version := "2.4.0"
	if p == ProfileHead {
		version = "2.20.0"
	}
	return "TensorFlow ModelServer: " + version + "\nTensorFlow Library: " + version + "\n"
}

// open opens the ports, which happens last (TFS-9.1).
func (s *Server) open() {
	s.serving = true
	if s.onServing != nil {
		s.onServing()
	}
}

// failStart is the end of main (model_servers/main.cc:341-348): exit -1, which
// the parent sees as 255.
func (s *Server) failStart(err *env.RPCError) {
	s.exit(255, "Failed to start server. Error: "+s.profile.statusString(err)+"\n")
}

// startConfig checks the flags and reads the first config (TFS-9.2).
func (s *Server) startConfig() (ServerConfig, *env.RPCError) {
	o := s.options
	switch {
	case o.Port == 0 && s.profile == Profile24:
		return ServerConfig{}, statusf(env.InvalidArgument, "server_options.grpc_port is not set.")
	case o.Port == 0 && o.GRPCSocketPath == "":
		return ServerConfig{}, statusf(env.InvalidArgument,
			"At least one of server_options.grpc_port or server_options.grpc_socket_path must be set.")
	case o.InitialConfig != nil:
		return *o.InitialConfig, nil
	case o.ModelBasePath == "" && o.ModelConfigFile == "":
		return ServerConfig{}, statusf(env.InvalidArgument,
			"Both server_options.model_base_path and server_options.model_config_file are empty!")
	case o.ModelConfigFile != "":
		return s.readConfigFile()
	}
	return ServerConfig{Kind: ModelList, Models: []ModelConfig{
		{Name: o.ModelName, BasePath: o.ModelBasePath, Platform: tensorFlowPlatform},
	}}, nil
}

// readConfigFile reads --model_config_file.
func (s *Server) readConfigFile() (ServerConfig, *env.RPCError) {
	data, err := s.readFile(s.options.ModelConfigFile)
	if err != nil {
		return ServerConfig{}, err
	}
	config, ok := parseConfigText(data, s.options.RefuseLatestOnce)
	if !ok {
		return ServerConfig{}, invalidProtobufFile(s.options.ModelConfigFile)
	}
	return config, nil
}

// readPlatformFiles reads the platform config, or else the batching parameters.
func (s *Server) readPlatformFiles() *env.RPCError {
	o := s.options
	switch {
	case o.PlatformConfigFile != "":
		data, err := s.readFile(o.PlatformConfigFile)
		if err != nil {
			return err
		}
		names, ok := parsePlatformText(data)
		if !ok {
			return invalidProtobufFile(o.PlatformConfigFile)
		}
		s.options.Platforms = nil
		for _, name := range names {
			s.options.Platforms = append(s.options.Platforms, Platform{Name: name})
		}
	case o.EnableBatching && o.BatchingParametersFile != "":
		data, err := s.readFile(o.BatchingParametersFile)
		if err != nil {
			return err
		}
		if !validBatchingText(data) {
			return invalidProtobufFile(o.BatchingParametersFile)
		}
	case o.BatchingParametersFile != "":
		return statusf(env.InvalidArgument,
			"server_options.batching_parameters_file is set without setting server_options.enable_batching to true.")
	}
	return nil
}

func (s *Server) readFile(path string) ([]byte, *env.RPCError) {
	data, err := s.host.Storage().ReadFile(path)
	if err != nil {
		return nil, storageError(path, err)
	}
	return data, nil
}

// invalidProtobufFile is the text of util/proto_util.h:27-40.
func invalidProtobufFile(path string) *env.RPCError {
	return statusf(env.InvalidArgument, "Invalid protobuf file: '%s'", path)
}
