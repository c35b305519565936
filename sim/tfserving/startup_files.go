package tfserving

import (
	"errors"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	tfpb "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	bundlepb "github.com/monosim/monosim/engine/proto/tensorflow_serving/servables/tensorflow"
	"github.com/monosim/monosim/sim/tfserving/fake"
	"github.com/monosim/monosim/sim/tfserving/modelconfig"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

// startFiles holds the parsed files that are read first at the start, or an error.
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

// configFile holds the parsed --model_config_file, or an error.
type configFile struct {
	config modelconfig.ServerConfig
	err    *env.RPCError
}

func (s *Server) readConfigFile(disk Storage) configFile {
	data, err := s.readTextProto(disk, s.configFile)
	if err != nil {
		return configFile{err: err}
	}
	config, failed := s.parseConfigFile(data)
	if failed != nil {
		return configFile{err: s.unread(s.configFile, "tensorflow.serving.ModelServerConfig", failed)}
	}
	return configFile{config: config}
}

func (s *Server) parseConfigFile(data []byte) (modelconfig.ServerConfig, error) {
	if s.fake != nil { // python-fake writes to its config, so it gets a copy of its own (TFS-17.1 item 4)
		return parseConfigText(s.messages(), data)
	}
	return configTexts.Read(s.messages().before(data))
}

func (s *Server) messages() messages { return messages{s.profile, s.options.LatestOnce} }

// unread returns the error for a file that does not parse as the given message. It also logs why,
// with one line for each error of the parser (TextFormat::Parser::ParserImpl::ReportError).
func (s *Server) unread(path string, message protoreflect.FullName, failed error) *env.RPCError {
	const unread = "Error parsing text-format %s: %v"
	var errs *textformat.Error
	switch {
	case s.fake != nil:
		s.errorf(fake.Uncaught+"MainThread: %v", failed)
	case errors.As(failed, &errs):
		for _, found := range errs.Found {
			s.errorf(unread, message, found)
		}
	default:
		s.errorf(unread, message, failed)
	}
	return invalidProtobufFile(path)
}

// platformFile is the parsed platform config file. given is false if there is no such file. The
// flags then apply, and batching holds the content of their batching file.
type platformFile struct {
	given     bool
	platforms []Platform
	batching  *Batching
}

// apply returns the options with the platforms of the file. For the models of a platform, the
// settings in the file replace the flags.
func (p platformFile) apply(o *Options) *Options {
	with := *o
	if !p.given {
		if p.batching == nil {
			return o
		}
		with.Batching = p.batching
		return o.Shared.alike(&with)
	}
	with.Platforms = p.platforms
	return o.Shared.alike(&with)
}

// readPlatformFiles reads the platform config file. Without that file it checks the files and flags
// that configure the platform tensorflow.
func (s *Server) readPlatformFiles(disk Storage) (platformFile, *env.RPCError) {
	path := s.options.PlatformConfigFile
	if path == "" {
		batching, err := s.checkPlatform(disk)
		return platformFile{batching: batching}, err
	}
	data, err := s.readTextProto(disk, path)
	if err != nil {
		return platformFile{}, err
	}
	file, failed := platformTexts.Read(s.messages().before(data))
	if failed != nil {
		return platformFile{}, s.unread(path, "tensorflow.serving.PlatformConfigMap", failed)
	}
	return file, nil
}

func (s *Server) checkPlatform(disk Storage) (*Batching, *env.RPCError) {
	batching, err := s.readBatching(disk)
	if err != nil {
		return nil, err
	}
	if path := s.options.SessionConfigFile; path != "" {
		if err := s.checkFile(disk, path, &tfpb.ConfigProto{}); err != nil {
			return nil, err
		}
	}
	if o := s.options; o.IntraOpParallelism > 0 && o.InterOpParallelism > 0 && o.SessionParallelism > 0 {
		return nil, statusf(rpcerrors.InvalidArgument, "Either configure server_options.tensorflow_session_parallelism or "+
			"(server_options.tensorflow_intra_op_parallelism, server_options.tensorflow_inter_op_parallelism) separately. "+
			"You cannot configure all.")
	}
	return batching, nil
}

// readBatching returns the batching parameters, from the flags and from the parameter file if a
// flag names one; nil if batching is off. It does not change Options.Batching.
func (s *Server) readBatching(disk Storage) (*Batching, *env.RPCError) {
	o, params := s.options, &bundlepb.BatchingParameters{}
	switch path := o.BatchingParametersFile; {
	case path != "" && !o.EnableBatching:
		return nil, statusf(rpcerrors.InvalidArgument,
			"server_options.batching_parameters_file is set without setting server_options.enable_batching to true.")
	case !o.EnableBatching:
		return nil, nil
	case path != "":
		data, err := s.readTextProto(disk, path)
		if err != nil {
			return nil, err
		}
		var failed error
		if params, failed = s.messages().parseBatching(data); failed != nil {
			return nil, s.unread(path, proto.MessageName(params), failed)
		}
	}
	batching := batchingOf(params, s.profile)
	batching.PerModel = o.EnablePerModelBatchingParameters
	return batching, nil
}

// servingFiles is the result of reading the last files of the start. crash means that a CHECK of
// upstream fails, which aborts the process.
type servingFiles struct {
	err   *env.RPCError
	crash bool
}

// readServingFiles reads the files that the real server reads after the models are loaded. The real
// server already serves gRPC when it reads the monitoring config. Here the port opens only after
// all files are read.
func (s *Server) readServingFiles(disk Storage) servingFiles {
	o := s.options
	if o.ThreadPoolFactoryConfigFile != "" {
		if err := s.threadPoolFactory(disk, o.ThreadPoolFactoryConfigFile); err != nil {
			return servingFiles{err: err}
		}
	}
	if o.SSLConfigFile != "" {
		if _, err := s.readTextProto(disk, o.SSLConfigFile); err != nil {
			return servingFiles{crash: true}
		}
	}
	if o.MonitoringConfigFile != "" && o.RESTAPIPort != 0 && o.RESTAPIPort != o.Port {
		return servingFiles{err: s.checkFile(disk, o.MonitoringConfigFile, &configpb.MonitoringConfig{})}
	}
	return servingFiles{}
}

// threadPoolFactory returns the error for a ThreadPoolFactoryConfig file. Every file fails, because
// a stock server has no factory registered.
func (s *Server) threadPoolFactory(disk Storage, path string) *env.RPCError {
	data, err := s.readTextProto(disk, path)
	if err != nil {
		return err
	}
	message := dynamicpb.NewMessage(threadPoolFactoryConfig)
	if err := textformat.Unmarshal(string(data), message); err != nil {
		return s.unread(path, proto.MessageName(message), err)
	}
	bytes, failed := proto.Marshal(message.Get(threadPoolFactoryConfig.Fields().Get(0)).Message().Interface())
	config := &anypb.Any{}
	if failed != nil || proto.Unmarshal(bytes, config) != nil {
		return invalidProtobufFile(path)
	}
	return fromAny(config, nil)
}

// threadPoolFactoryConfig describes the message ThreadPoolFactoryConfig, which has a single field
// of type Any (servables/tensorflow/thread_pool_factory_config.proto).
var threadPoolFactoryConfig = func() protoreflect.MessageDescriptor {
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("thread_pool_factory_config.proto"), Package: proto.String("tensorflow.serving"), Syntax: proto.String("proto3"),
		Dependency: []string{"google/protobuf/any.proto"},
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: proto.String("ThreadPoolFactoryConfig"),
			Field: []*descriptorpb.FieldDescriptorProto{{
				Name: proto.String("thread_pool_factory_config"), Number: proto.Int32(1), TypeName: proto.String(".google.protobuf.Any"),
				Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			}},
		}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		panic(err) // cannot happen: the text above is constant
	}
	return file.Messages().Get(0)
}()

// checkFile returns an error unless the file at path exists and parses as the message.
func (s *Server) checkFile(disk Storage, path string, message proto.Message) *env.RPCError {
	data, err := s.readTextProto(disk, path)
	if err != nil {
		return err
	}
	if err := s.messages().texts().Unmarshal(string(data), message); err != nil {
		return s.unread(path, proto.MessageName(message), err)
	}
	return nil
}

// readTextProto reads a file as upstream's ParseProtoTextFile does. Upstream maps the file into
// memory, which fails for an empty file and for a directory. python-fake reads it with Python's
// open instead.
func (s *Server) readTextProto(disk Storage, path string) ([]byte, *env.RPCError) {
	data, err := disk.ReadFile(path)
	switch {
	case err != nil && s.fake == nil && storageError(path, err).Message == path+isDirectory:
		return nil, statusf(rpcerrors.NotFound, "%s; No such device", path)
	case err != nil:
		return nil, storageError(path, err)
	case len(data) == 0 && s.fake == nil:
		return nil, statusf(rpcerrors.InvalidArgument, "%s; Invalid argument", path)
	}
	return data, nil
}

// isDirectory is the end of the error text for reading a directory as a file.
const isDirectory = "; Is a directory"

// invalidProtobufFile returns the error for a file that is not the expected text proto
// (util/proto_util.h:27-40).
func invalidProtobufFile(path string) *env.RPCError {
	return statusf(rpcerrors.InvalidArgument, "Invalid protobuf file: '%s'", path)
}
