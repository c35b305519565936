package tfserving

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
)

// startFiles are what a start reads first, or why it fails.
type startFiles struct {
	config    modelconfig.ServerConfig
	platforms platformFile
	err       *env.RPCError
}

func (s *Server) readStartFiles(disk Storage) (files startFiles) {
	if files.config, files.err = s.startConfig(disk); files.err == nil {
		files.platforms, files.err = s.readPlatformFiles(disk)
	}
	return files
}

// configFile is --model_config_file, or why it has no config.
type configFile struct {
	config modelconfig.ServerConfig
	err    *env.RPCError
}

func (s *Server) readConfigFile(disk Storage) configFile {
	data, err := s.readTextProto(disk, s.configFile)
	if err != nil {
		return configFile{err: err}
	}
	shared := s.options.Shared
	if s.fake != nil {
		shared = nil // it writes to its config (item 4)
	}
	config, failed := shared.config(s.profile, data, s.options.RefuseLatestOnce)
	if failed != nil {
		line := "Error parsing text-format tensorflow.serving.ModelServerConfig: %v"
		if s.fake != nil {
			line = fake.Uncaught + "MainThread: %v"
		}
		s.errorf(line, failed)
		return configFile{err: invalidProtobufFile(s.configFile)}
	}
	return configFile{config: config}
}

// platformFile is a platform config file; without one the flags stay as they are.
type platformFile struct {
	given     bool
	platforms []Platform
	settings  bundleSettings
}

// apply is the options with the platforms in. Their adapters' own settings take the place
// of the flags; where platforms differ in them, the first by name counts for all.
func (p platformFile) apply(o *Options) *Options {
	if !p.given {
		return o
	}
	with := *o
	with.Platforms = p.platforms
	p.settings.apply(&with)
	return o.Shared.alike(&with)
}

// readPlatformFiles reads the platform config, or else checks what makes up that of
// platform tensorflow.
func (s *Server) readPlatformFiles(disk Storage) (platformFile, *env.RPCError) {
	if s.options.PlatformConfigFile != "" {
		return s.readPlatformConfig(disk)
	}
	return platformFile{}, s.checkPlatform(disk)
}

func (s *Server) readPlatformConfig(disk Storage) (platformFile, *env.RPCError) {
	data, err := s.readTextProto(disk, s.options.PlatformConfigFile)
	if err != nil {
		return platformFile{}, err
	}
	file, failed := s.options.Shared.platforms(data)
	if failed != nil {
		return platformFile{}, invalidProtobufFile(s.options.PlatformConfigFile)
	}
	return file, nil
}

func (s *Server) checkPlatform(disk Storage) *env.RPCError {
	if err := s.checkBatching(disk); err != nil {
		return err
	}
	if path := s.options.SessionConfigFile; path != "" {
		if err := s.checkFile(disk, path, validSessionText); err != nil {
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

func (s *Server) checkBatching(disk Storage) *env.RPCError {
	switch o := s.options; {
	case o.BatchingParametersFile == "":
		return nil
	case !o.EnableBatching:
		return statusf(env.InvalidArgument,
			"server_options.batching_parameters_file is set without setting server_options.enable_batching to true.")
	default:
		return s.checkFile(disk, o.BatchingParametersFile, validBatchingText)
	}
}

// servingFiles is what came of the files that are read last; crash is a CHECK.
type servingFiles struct {
	err   *env.RPCError
	crash bool
}

// readServingFiles reads what the real server reads after the models are loaded.
// It reads the monitoring config when gRPC is already served; here, whose port
// opens at the end, that instant is left out.
func (s *Server) readServingFiles(disk Storage) servingFiles {
	o := s.options
	if o.ThreadPoolFactoryConfigFile != "" {
		if _, err := s.readTextProto(disk, o.ThreadPoolFactoryConfigFile); err != nil {
			return servingFiles{err: err}
		}
	}
	if o.SSLConfigFile != "" {
		if _, err := s.readTextProto(disk, o.SSLConfigFile); err != nil {
			return servingFiles{crash: true}
		}
	}
	if o.MonitoringConfigFile != "" && o.RESTAPIPort != 0 && o.RESTAPIPort != o.Port {
		return servingFiles{err: s.checkFile(disk, o.MonitoringConfigFile, validMonitoringText)}
	}
	return servingFiles{}
}

func (s *Server) checkFile(disk Storage, path string, valid func(data []byte) bool) *env.RPCError {
	data, err := s.readTextProto(disk, path)
	if err == nil && !valid(data) {
		return invalidProtobufFile(path)
	}
	return err
}

// readTextProto reads a file for ParseProtoTextFile, which maps it into memory.
// Neither an empty file nor a directory can be mapped. The fake reads it with
// Python's open.
func (s *Server) readTextProto(disk Storage, path string) ([]byte, *env.RPCError) {
	data, err := disk.ReadFile(path)
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
