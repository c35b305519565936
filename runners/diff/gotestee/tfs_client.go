package gotestee

import (
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	example "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// tfsClientOps holds the operations of section 17 of the protocol, on tfs_client.py, and those that
// runners/diff/python/ops/tfs_client.py and tfs_client_program.py describe.
var tfsClientOps = table{
	"tfs_client.read_header":                    (*call).readHeader,
	"tfs_client.read_data":                      (*call).readData,
	"tfs_client.get_example_batch_to_instance":  (*call).batchToInstance,
	"tfs_client.get_example_batch_proto":        (*call).batchProto,
	"tfs_client.get_example_batch_proto_v2":     (*call).batchProtoV2,
	"tfs_client.get_instance_proto":             (*call).instanceProto,
	"tfs_client.generate_random_instance":       (*call).randomInstance,
	"tfs_client.generate_random_instance.shape": (*call).randomInstanceShape,
	"tfs_client.generate_random_example_batch":  (*call).randomExampleBatch,
	"tfs_client.gen_random_file":                (*call).randomFile,
	"tfs_client.main":                           (*call).tfsClientMain,
	"tfs_client.ProfileThread.run":              (*call).profileThread,
	"tfs_client.ProfileThread.sequence":         (*call).profileThreads,
}

// client makes a client with the flags, names and random numbers that the case gives. Flags that
// the case does not name are off.
func (c *call) client() clients.TFSClient {
	c.Env.Random = &draws{numbers: c.In.Ints("draws")}
	slots, user := c.globals()
	return clients.TFSClient{Env: c.Env, Framing: c.framing(), ValidSlots: slots, UserFeatures: user}
}

func (c *call) framing() clients.StreamFraming {
	flags := c.In.OptStrings("flags")
	has := func(name string) bool { return slices.Contains(flags, name) }
	return clients.StreamFraming{
		LagrangexHeader: has("lagrangex_header"), HasSortID: has("has_sort_id"),
		KafkaDump: has("kafka_dump"), KafkaDumpPrefix: has("kafka_dump_prefix"),
	}
}

// globals returns the values of the module's global names that the case sets.
func (c *call) globals() (slots []int, user pysem.Opt[[]int]) {
	names := c.In.ObjectOr("globals")
	if names.Has("user_features") {
		user = pysem.Some(names.Ints("user_features"))
	}
	return names.Ints("VALID_SLOTS"), user
}

// draws returns the case's random numbers one after another, whatever asks for a random number.
type draws struct {
	env.Random
	numbers []int
	made    int
}

func (d *draws) Intn(_ string, n int) int {
	if len(d.numbers) == 0 {
		return 0
	}
	rest := d.numbers[d.made%len(d.numbers)] % n
	d.made++
	if rest < 0 { // in Python the remainder has the sign of n
		rest += n
	}
	return rest
}

func (c *call) readHeader() (any, error) {
	s := clients.NewDataStream(c.In.Bytes("stream"))
	err := s.ReadHeader(c.client().Framing)
	return caseworld.Object("result", caseworld.Attempt(nil, err), "consumed", s.Consumed()), nil
}

func (c *call) readData() (any, error) {
	s := clients.NewDataStream(c.In.Bytes("stream"))
	return caseworld.Object("result", caseworld.Attempt(s.ReadData(c.client().Framing)), "consumed", s.Consumed()), nil
}

func (c *call) batchToInstance() (any, error) {
	tensor, err := c.client().ExampleBatchToInstance(c.In.Str("input_file"), c.In.Str("file_type"))
	return tensor, err
}

func (c *call) batchProto() (any, error) {
	tensor, err := c.client().ExampleBatchProto(c.In.OptStr("input_file"), c.In.Str("file_type"), c.features(), c.randomBatchSize())
	return tensor, err
}

// flagBatchSize returns the value of the flag batch_size.
func (c *call) flagBatchSize() int {
	return c.In.ObjectOr("options").IntegerOr("batch_size", clients.DefaultTFSClientOptions().BatchSize)
}

func (c *call) batchProtoV2() (any, error) {
	tensor, err := c.client().ExampleBatchProtoV2(c.In.Str("input_file"), c.flagBatchSize())
	return tensor, err
}

func (c *call) instanceProto() (any, error) {
	file, size := c.In.OptStr("input_file"), c.In.Integer("batch_size")
	if !file.Set {
		size = c.In.Count("batch_size")
	}
	tensor, err := c.client().InstanceProto(file, size)
	return tensor, err
}

// randomBatchSize returns how many examples a random batch has. A number beyond the field of the
// batch is no size, because it fails before an example is made.
func (c *call) randomBatchSize() int {
	if n, isInt := c.In.Value("batch_size").(int); isInt && n > math.MaxInt32 {
		return n
	}
	return c.In.Count("batch_size")
}

// slotShift is the bit in a feature id at which the slot begins (tfs_client.py:97).
const slotShift = 54

func (c *call) randomInstance() (any, error) {
	c.In.Few("vocab_sizes")
	data, err := c.client().RandomInstance(c.In.Ints("slots"), c.In.Ints("vocab_sizes"))
	if err != nil {
		return nil, err
	}
	instance := &matrix.Instance{}
	return instance, proto.Unmarshal(data, instance)
}

func (c *call) randomInstanceShape() (any, error) {
	instance, err := c.randomInstance()
	if err != nil {
		return nil, err
	}
	slots := lists.Map(instance.(*matrix.Instance).GetFid(), func(fid uint64) int { return int(fid >> slotShift) })
	return caseworld.Object("slots_of_fids", slots), nil
}

func (c *call) randomExampleBatch() (any, error) {
	data, err := c.client().RandomExampleBatch(c.features(), c.randomBatchSize())
	if err != nil {
		return nil, err
	}
	batch := &example.ExampleBatch{}
	return batch, proto.Unmarshal(data, batch)
}

// features returns the feature columns of the case. It returns nil if the case has none.
func (c *call) features() []clients.Feature {
	if !c.In.Has("features") {
		return nil
	}
	var list []clients.Feature
	for _, f := range c.In.Objects("features") {
		feature := clients.Feature{FeatureName: f.OptStr("feature_name"), Method: f.OptStr("method")}
		if f.Value("slot") != nil {
			feature.Slot = pysem.Some(f.Integer("slot"))
		}
		if f.Value("args") != nil {
			feature.Args = pysem.Some(f.Strings("args"))
		}
		list = append(list, feature)
	}
	return list
}

func (c *call) randomFile() (any, error) {
	file := c.In.Str("input_file")
	if err := c.client().RandomFile(file, c.In.StrOr("variant_type", "example_batch"), c.flagBatchSize()); err != nil {
		return nil, err
	}
	content, err := c.Env.Files.ReadFile(file)
	return caseworld.Object("content", content), err
}
