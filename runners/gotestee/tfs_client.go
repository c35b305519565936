package gotestee

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
)

// tfsClientOps are section 17 of the protocol: tfs_client.py.
var tfsClientOps = table{
	"tfs_client.read_header":                    (*call).readHeader,
	"tfs_client.read_data":                      (*call).readData,
	"tfs_client.get_example_batch_to_instance":  (*call).batchToInstance,
	"tfs_client.get_example_batch_proto":        (*call).batchProto,
	"tfs_client.get_instance_proto":             (*call).instanceProto,
	"tfs_client.generate_random_instance.shape": (*call).randomInstance,
}

// client has the case's flags; those that are not named are off.
func (c *call) client() agent.TFSClient {
	var flags []string
	if c.in.value("flags") != nil {
		flags = c.in.strings("flags")
	}
	has := func(name string) bool { return slices.Contains(flags, name) }
	return agent.TFSClient{Env: c.env, Framing: agent.StreamFraming{
		LagrangexHeader: has("lagrangex_header"), HasSortID: has("has_sort_id"),
		KafkaDump: has("kafka_dump"), KafkaDumpPrefix: has("kafka_dump_prefix"),
	}}
}

func (c *call) readHeader() (any, error) {
	s := agent.NewDataStream(c.in.bytes("stream"))
	err := s.ReadHeader(c.client().Framing)
	return object("result", attempt(nil, err), "consumed", s.Consumed()), nil
}

func (c *call) readData() (any, error) {
	s := agent.NewDataStream(c.in.bytes("stream"))
	data, err := s.ReadData(c.client().Framing)
	return object("result", attempt(data, err), "consumed", s.Consumed()), nil
}

func (c *call) batchToInstance() (any, error) {
	tensor, err := c.client().ExampleBatchToInstance(c.in.str("input_file"), c.in.str("file_type"))
	return tensor, err
}

func (c *call) batchProto() (any, error) {
	tensor, err := c.client().ExampleBatchProto(c.in.str("input_file"), c.in.str("file_type"))
	return tensor, err
}

func (c *call) instanceProto() (any, error) {
	tensor, err := c.client().InstanceProto(c.in.optStr("input_file"), c.in.integer("batch_size"))
	return tensor, err
}

// slotShift is where the slot of a feature id begins (tfs_client.py:97).
const slotShift = 54

func (c *call) randomInstance() (any, error) {
	data, err := c.client().RandomInstance(c.ints("slots"), c.ints("vocab_sizes"))
	if err != nil {
		return nil, err
	}
	var instance matrix.Instance
	if err := proto.Unmarshal(data, &instance); err != nil {
		return nil, err
	}
	slots := []int{}
	for _, fid := range instance.GetFid() {
		slots = append(slots, int(fid>>slotShift))
	}
	return object("slots_of_fids", slots), nil
}

// ints is a list of ints, nil when it is missing or null.
func (c *call) ints(name string) []int {
	if c.in.value(name) == nil {
		return nil
	}
	list := []int{}
	for _, v := range c.in.list(name) {
		n, ok := v.(int)
		if !ok {
			c.in.wrong(name, "a list of ints")
		}
		list = append(list, n)
	}
	return list
}
