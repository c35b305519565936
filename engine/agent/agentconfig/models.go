package agentconfig

import (
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks"
)

// These are the names of rough sort models, one for each server type that can load them
// (utils.py:127-130).
const (
	roughSortPS    = "ps_item_embedding"
	roughSortEntry = "entry_item_embedding"
	roughSortDense = "dense_item_embedding"
)

// ModelConfigArgs holds the arguments of [GenModelConfig].
type ModelConfigArgs struct {
	Name          string
	BasePath      pysem.OptString
	VersionPolicy pysem.OptString // latest, latest_once, all or specific, in upper or lower case
	// VersionData is an int: the number of versions to keep, or the version to load. Under the
	// policy specific it can also be a list of ints, the versions to load.
	VersionData   any
	ModelPlatform pysem.OptString // unset means tensorflow
	// NoPlatform leaves the platform out, as Python's argument None does.
	NoPlatform    bool
	VersionLabels map[string]int64
	Quirks        quirks.Set
}

// GenModelConfig returns the model server's configuration of one model (utils.py:920-958). Errors
// are *pysem.Error. A ValueError is for an unknown version policy, or a number that a field cannot
// hold. An AssertionError is for version data of the wrong type for the policy. A TypeError is for
// a version that is no int, and a UnicodeEncodeError for a lone surrogate.
func GenModelConfig(args ModelConfigArgs) (*config.ModelConfig, error) {
	for _, text := range []string{args.Name, args.BasePath.V, args.ModelPlatform.V} {
		if err := message.Encodable(text); err != nil {
			return nil, err
		}
	}
	policy, err := versionPolicy(args)
	if err != nil {
		return nil, err
	}
	platform := args.ModelPlatform.Or("tensorflow")
	if args.NoPlatform {
		platform = ""
	}
	return &config.ModelConfig{
		Name:               args.Name,
		BasePath:           args.BasePath.Or(""),
		ModelPlatform:      platform,
		ModelVersionPolicy: policy,
		VersionLabels:      args.VersionLabels,
	}, nil
}

// PublicProtos reports whether the protos are those of a TF Serving release, which have no policy
// latest_once (Q25).
func PublicProtos(keep quirks.Set) bool { return keep.Keeps(quirks.Q25) && !keep.InFork(quirks.Q25) }

// ParseModels parses the text of a model server's configuration as text_format.Parse does. If
// public is set, no message has a field latest_once, so its use is a ParseError.
func ParseModels(text string, public bool) (*config.ModelServerConfig, error) {
	m, parser := &config.ModelServerConfig{}, textformat.Parser{}
	if public {
		parser.Hides = func(f protoreflect.FieldDescriptor) bool {
			return f.Name() == "latest_once" && f.Parent() == (&versionPolicyProto{}).ProtoReflect().Descriptor()
		}
	}
	return m, parser.Parse(text, m)
}

type versionPolicyProto = storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy

func versionPolicy(args ModelConfigArgs) (*versionPolicyProto, error) {
	if !args.VersionPolicy.Set {
		return nil, pysem.AttributeError(nil, "lower")
	}
	switch pysem.Lower(args.VersionPolicy.V) {
	case "latest":
		return latestPolicy(args)
	case "latest_once":
		// utils.py:943 sets latest_once.num_versions. No release has latest_once, and the
		// message that tensorflow/serving#2040 adds has no fields (Q25).
		_, isInt := pysem.Big(args.VersionData)
		if isInt && args.Quirks.InFork(quirks.Q25) {
			return latestOncePolicy(args)
		}
		if isInt && args.Quirks.Keeps(quirks.Q25) {
			return nil, pysem.Raise("AttributeError", "latest_once")
		}
		return latestPolicy(args)
	case "all":
		return &versionPolicyProto{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_{
			All: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All{},
		}}, nil
	case "specific":
		return specificPolicy(args)
	}
	return nil, pysem.Raise("ValueError", "%s is not allowed!", args.VersionPolicy.V)
}

func latestPolicy(args ModelConfigArgs) (*versionPolicyProto, error) {
	n, err := numVersions(args)
	if err != nil {
		return nil, err
	}
	return &versionPolicyProto{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest_{
		Latest: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Latest{NumVersions: n},
	}}, nil
}

func latestOncePolicy(args ModelConfigArgs) (*versionPolicyProto, error) {
	n, err := numVersions(args)
	if err != nil {
		return nil, err
	}
	return &versionPolicyProto{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_LatestOnce_{
		LatestOnce: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_LatestOnce{NumVersions: n},
	}}, nil
}

func numVersions(args ModelConfigArgs) (uint32, error) {
	if _, ok := pysem.Big(args.VersionData); !ok {
		return 0, &pysem.Error{Type: "AssertionError"}
	}
	n, err := message.Int(args.VersionData, 0, math.MaxUint32)
	return uint32(n), err
}

func specificPolicy(args ModelConfigArgs) (*versionPolicyProto, error) {
	versions, ok := args.VersionData.([]any)
	if _, single := pysem.Big(args.VersionData); single {
		versions, ok = []any{args.VersionData}, true
	}
	if !ok {
		return nil, &pysem.Error{Type: "AssertionError"}
	}
	specific := &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific{}
	for _, v := range versions {
		n, err := message.Int(v, math.MinInt64, math.MaxInt64)
		if err != nil {
			return nil, err
		}
		specific.Versions = append(specific.Versions, n)
	}
	return &versionPolicyProto{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific_{
		Specific: specific,
	}}, nil
}

// ModelServerConfig lists the models that a model server of this container loads when it starts
// (utils.py:684-755). A server type of None means the container's own type. Errors are
// *pysem.Error.
func (c *AgentConfig) ModelServerConfig(serverType pysem.OptString) (*config.ModelServerConfig, error) {
	server, err := c.DeployType.CompatServerType(serverType)
	if err != nil {
		return nil, err
	}
	list := modelList{conf: c}
	if server == ServerPS {
		err = list.addPS()
	} else {
		err = list.addWhole(server)
	}
	if err != nil {
		return nil, err
	}
	out := &config.ModelServerConfig{}
	if len(list.configs) > 0 {
		out.Config = &config.ModelServerConfig_ModelConfigList{
			ModelConfigList: &config.ModelConfigList{Config: list.configs},
		}
	}
	return out, nil
}

// modelList collects the model configurations of one model server.
type modelList struct {
	conf    *AgentConfig
	configs []*config.ModelConfig
}

// add appends a model. Its path is base, the folders in under, and name.
func (l *modelList) add(name string, base pysem.OptString, under ...pysem.OptString) error {
	path, err := pysem.Join(base, append(under, pysem.Some(name))...)
	if err != nil {
		return err
	}
	mc, err := GenModelConfig(ModelConfigArgs{
		Name: name, BasePath: pysem.Some(path), VersionPolicy: l.conf.VersionPolicy,
		VersionData: l.conf.VersionData, Quirks: l.conf.Quirks,
	})
	if err != nil {
		return err
	}
	l.configs = append(l.configs, mc)
	return nil
}

func (l *modelList) addRoughSort(name string) error {
	return l.add(name, l.conf.RoughSortModelLocalPath, l.conf.RoughSortModelName)
}

// addPS adds the PS shards of this container, each followed by its part of the rough sort model.
func (l *modelList) addPS() error {
	c := l.conf
	schedule, err := c.ServerSchedule(ServerPS)
	if err != nil {
		return err
	}
	for _, shard := range schedule {
		if err := l.add(ServerPS+"_"+shard.String(), c.BasePath); err != nil {
			return err
		}
		if c.roughSortOn(ServerPS) {
			if err := l.addRoughSort(roughSortPS + "_" + shard.String()); err != nil {
				return err
			}
		}
	}
	return nil
}

// addWhole adds a graph that is not split into shards, and its rough sort model if there is one.
func (l *modelList) addWhole(server string) error {
	c := l.conf
	name := server
	if server == ServerDense {
		name = ServerDense + "_0"
	}
	if err := l.add(name, c.BasePath); err != nil {
		return err
	}
	switch {
	case c.RoughSortResourceConstrained && c.RoughSortModelLoadedServer == pysem.Some(ServerEntry):
		return l.add(roughSortEntry+"_0", c.BasePath)
	case c.roughSortOn(ServerEntry):
		return l.addRoughSort(roughSortEntry + "_0")
	case c.roughSortOn(ServerDense):
		return l.addRoughSort(roughSortDense + "_0")
	}
	return nil
}

// roughSortOn reports whether the given server type loads a rough sort model with a name.
func (c *AgentConfig) roughSortOn(server string) bool {
	return c.RoughSortModelName.Or("") != "" && c.RoughSortModelLoadedServer == pysem.Some(server)
}

// ServerSchedule lists the tasks of a server type on this container (utils.py:672-683). For PS
// these are the container's shards, for dense its replica id, and otherwise a single None. Without
// SHARD_ID no PS is scheduled (Q161).
func (c *AgentConfig) ServerSchedule(serverType string) ([]pysem.OptInt, error) {
	switch {
	case c.DeployType == DeployDense && serverType == ServerDense:
		return []pysem.OptInt{c.ReplicaID}, nil
	case c.DeployType != DeployMixed && c.DeployType != DeployPS || serverType != ServerPS:
		return []pysem.OptInt{{}}, nil
	}
	var tasks []pysem.OptInt
	for i := range c.NumPS {
		if c.NumShard.V == 0 {
			return nil, pysem.Raise("ZeroDivisionError", "integer modulo by zero")
		}
		shard, err := c.ShardID()
		if err != nil {
			return nil, err
		}
		if shard == -1 && !c.Quirks.Keeps(quirks.Q161) {
			shard = 0
		}
		remainder := i % c.NumShard.V
		if remainder != 0 && c.NumShard.V < 0 {
			remainder += c.NumShard.V // Python's remainder has the sign of the divisor
		}
		if remainder == shard {
			tasks = append(tasks, pysem.Some(i))
		}
	}
	return tasks, nil
}

// GenModelSpec names a model and optionally a version and a signature (utils.py:908-917). version
// is an int, or a label as string or as bytes in UTF-8. Errors are *pysem.Error: a ValueError for a
// version beyond 64 bits, a TypeError for another type, a UnicodeError for a label that is not
// UTF-8.
func GenModelSpec(name string, version any, signature pysem.OptString) (*apis.ModelSpec, error) {
	spec := &apis.ModelSpec{Name: name, SignatureName: signature.Or("")}
	if version == nil {
		return spec, nil
	}
	if _, ok := pysem.Big(version); ok {
		n, err := message.Int(version, math.MinInt64, math.MaxInt64)
		spec.VersionChoice = &apis.ModelSpec_Version{Version: wrapperspb.Int64(n)}
		return spec, err
	}
	label, err := message.Text(version)
	spec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: label}
	return spec, err
}
