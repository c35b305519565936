package agentconfig

import (
	"math"
	"math/big"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	storagepath "github.com/monosim/monosim/engine/proto/tensorflow_serving/sources/storage_path"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks"
)

// The names of rough sort models, by the server that loads them (utils.py:127-130).
const (
	roughSortPS    = "ps_item_embedding"
	roughSortEntry = "entry_item_embedding"
	roughSortDense = "dense_item_embedding"
)

// ModelConfigArgs holds the arguments of [GenModelConfig].
type ModelConfigArgs struct {
	Name          string
	BasePath      pysem.OptString
	VersionPolicy pysem.OptString // latest, latest_once, all, specific, in any case
	// VersionData is the number of versions to keep, or the version to load.
	VersionData int
	// Versions, when not nil, is version data that is a list: the versions to load under policy
	// specific.
	Versions      []int
	ModelPlatform pysem.OptString // unset means tensorflow
	// NoPlatform leaves out the platform, as the argument None does.
	NoPlatform    bool
	VersionLabels map[string]int64
	Quirks        quirks.Set
}

// GenModelConfig returns the model server's configuration of one model (utils.py:920-958). Errors
// are *pysem.Error; an unknown version policy is a ValueError.
func GenModelConfig(args ModelConfigArgs) (*config.ModelConfig, error) {
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

// PublicProtos reports whether the protos are those of a release, in which no policy latest_once is
// (Q25).
func PublicProtos(keep quirks.Set) bool { return keep.Keeps(quirks.Q25) && !keep.InFork(quirks.Q25) }

// ParseModels reads the text of a model server's configuration as text_format.Parse does. With
// public protos latest_once is a field that no message has, so a ParseError.
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
		if args.Versions == nil && args.Quirks.InFork(quirks.Q25) {
			return latestOncePolicy(args)
		}
		if args.Versions == nil && args.Quirks.Keeps(quirks.Q25) {
			return nil, pysem.Raise("AttributeError", "latest_once")
		}
		return latestPolicy(args)
	case "all":
		return &versionPolicyProto{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All_{
			All: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_All{},
		}}, nil
	case "specific":
		return specificPolicy(args), nil
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
	if args.Versions != nil {
		return 0, &pysem.Error{Type: "AssertionError"}
	}
	if args.VersionData < 0 || args.VersionData > math.MaxUint32 {
		return 0, pysem.Raise("ValueError", "Value out of range: %d", args.VersionData)
	}
	return uint32(args.VersionData), nil
}

func specificPolicy(args ModelConfigArgs) *versionPolicyProto {
	specific := &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific{}
	if args.Versions == nil {
		specific.Versions = []int64{int64(args.VersionData)}
	}
	for _, v := range args.Versions {
		specific.Versions = append(specific.Versions, int64(v))
	}
	return &versionPolicyProto{PolicyChoice: &storagepath.FileSystemStoragePathSourceConfig_ServableVersionPolicy_Specific_{
		Specific: specific,
	}}
}

// ModelServerConfig lists the models that a server of this container loads at its start
// (utils.py:684-755). A server type of None is the container's own. Errors are *pysem.Error.
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

// modelList collects the models of one server.
type modelList struct {
	conf    *AgentConfig
	configs []*config.ModelConfig
}

// add appends the model name, whose path is base/.../name.
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

// addWhole adds a graph that is not split into shards, and a rough sort model.
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

// roughSortOn reports whether a server loads a named rough sort model.
func (c *AgentConfig) roughSortOn(server string) bool {
	return c.RoughSortModelName.Or("") != "" && c.RoughSortModelLoadedServer == pysem.Some(server)
}

// ServerSchedule lists the tasks of a server type on this container (utils.py:672-683): for PS the
// shards that belong to it, for dense its replica id, otherwise a single None. Without SHARD_ID no
// PS is scheduled (Q161).
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

// GenModelSpec names a model, and optionally a version (int) or label (string) and a signature
// (utils.py:908-917).
func GenModelSpec(name string, version any, signature pysem.OptString) (*apis.ModelSpec, error) {
	spec := &apis.ModelSpec{Name: name, SignatureName: signature.Or("")}
	switch v := version.(type) {
	case nil:
	case string:
		spec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: v}
	case bool, int:
		n, _ := pysem.Big(v)
		spec.VersionChoice = &apis.ModelSpec_Version{Version: wrapperspb.Int64(n.Int64())}
	case *big.Int:
		return nil, pysem.Raise("ValueError", "Value out of range: %s", v)
	case []byte: // protobuf takes bytes for a text
		label, err := pysem.DecodeUTF8(v)
		if err != nil {
			return nil, err
		}
		spec.VersionChoice = &apis.ModelSpec_VersionLabel{VersionLabel: label}
	default:
		return nil, pysem.Raise("TypeError", "bad argument type for built-in operation")
	}
	return spec, nil
}
