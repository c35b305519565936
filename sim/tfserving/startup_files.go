package tfserving

import (
	"github.com/monosim/monosim/engine/env"
)

// readConfigFile reads --model_config_file.
func (s *Server) readConfigFile() (ServerConfig, *env.RPCError) {
	data, err := s.readTextProto(s.options.ModelConfigFile)
	if err != nil {
		return ServerConfig{}, err
	}
	config, failed := parseConfigText(s.profile, data, s.options.RefuseLatestOnce)
	if failed != nil {
		s.errorf("Error parsing text-format tensorflow.serving.ModelServerConfig: %v", failed)
		return ServerConfig{}, invalidProtobufFile(s.options.ModelConfigFile)
	}
	return config, nil
}

// readPlatformFiles reads the platform config, or else what makes up that of
// platform tensorflow.
func (s *Server) readPlatformFiles() *env.RPCError {
	if s.options.PlatformConfigFile != "" {
		return s.readPlatformConfig()
	}
	if err := s.checkBatching(); err != nil {
		return err
	}
	if path := s.options.SessionConfigFile; path != "" {
		if err := s.checkFile(path, validSessionText); err != nil {
			return err
		}
	}
	if o := s.options; o.IntraOpParallelism > 0 && o.InterOpParallelism > 0 && o.SessionParallelism > 0 {
		return statusf(env.InvalidArgument, "Either configure server_options.tensorflow_session_parallelism or "+
			"(server_options.tensorflow_intra_op_parallelism, server_options.tensorflow_inter_op_parallelism) separately. "+
			"You cannot configure all.")
	}
	return nil
}

// readPlatformConfig reads the platforms. Their adapters' own settings take the
// place of the flags; where platforms differ in them, the first by name counts
// for all.
func (s *Server) readPlatformConfig() *env.RPCError {
	data, err := s.readTextProto(s.options.PlatformConfigFile)
	if err != nil {
		return err
	}
	platforms, settings, ok := parsePlatformText(data)
	if !ok {
		return invalidProtobufFile(s.options.PlatformConfigFile)
	}
	s.options.Platforms = platforms
	settings.apply(&s.options)
	return nil
}

func (s *Server) checkBatching() *env.RPCError {
	switch o := s.options; {
	case o.BatchingParametersFile == "":
		return nil
	case !o.EnableBatching:
		return statusf(env.InvalidArgument,
			"server_options.batching_parameters_file is set without setting server_options.enable_batching to true.")
	default:
		return s.checkFile(o.BatchingParametersFile, validBatchingText)
	}
}

// readServingFiles reads what the real server reads after the models are loaded.
// It reads the monitoring config when gRPC is already served; here, whose port
// opens at the end, that instant is left out.
func (s *Server) readServingFiles() *env.RPCError {
	o := s.options
	if o.ThreadPoolFactoryConfigFile != "" {
		if _, err := s.readTextProto(o.ThreadPoolFactoryConfigFile); err != nil {
			return err
		}
	}
	if o.SSLConfigFile != "" {
		if _, err := s.readTextProto(o.SSLConfigFile); err != nil {
			s.exit(-6, "") // CHECK
			return nil
		}
	}
	if o.MonitoringConfigFile != "" && o.RESTAPIPort != 0 && o.RESTAPIPort != o.Port {
		return s.checkFile(o.MonitoringConfigFile, validMonitoringText)
	}
	return nil
}

func (s *Server) checkFile(path string, valid func(data []byte) bool) *env.RPCError {
	data, err := s.readTextProto(path)
	if err == nil && !valid(data) {
		return invalidProtobufFile(path)
	}
	return err
}

// readTextProto reads a file for ParseProtoTextFile, which maps it into memory.
// Neither an empty file nor a directory can be mapped. The fake reads it with
// Python's open.
func (s *Server) readTextProto(path string) ([]byte, *env.RPCError) {
	data, err := s.host.Storage().ReadFile(path)
	switch {
	case err != nil && s.fake == nil && storageError(path, err).Message == path+isDirectory:
		return nil, statusf(env.NotFound, "%s; No such device", path)
	case err != nil:
		return nil, storageError(path, err)
	case len(data) == 0 && s.fake == nil:
		return nil, statusf(env.InvalidArgument, "%s; Invalid argument", path)
	}
	return data, nil
}

// isDirectory ends the error of who reads a directory as a file.
const isDirectory = "; Is a directory"

// invalidProtobufFile is the text of util/proto_util.h:27-40.
func invalidProtobufFile(path string) *env.RPCError {
	return statusf(env.InvalidArgument, "Invalid protobuf file: '%s'", path)
}
