package gotestee

import (
	"encoding/hex"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/pysem"
)

// instanceOps are the operations of section 5 that make messages: those of
// utils.py about states, tensors and InstanceFormater.
var instanceOps = table{
	"utils.gen_status_proto":              (*call).genStatusProto,
	"utils.gen_model_version_status":      (*call).genModelVersionStatus,
	"utils.make_tensor_proto":             (*call).makeTensorProto,
	"utils.InstanceFormater.from_json":    func(c *call) (any, error) { return c.instance(agent.InstanceFromJSON, false) },
	"utils.InstanceFormater.from_pb_text": func(c *call) (any, error) { return c.instance(agent.InstanceFromText, true) },
	"utils.InstanceFormater.from_dump":    func(c *call) (any, error) { return c.instance(agent.InstanceFromDump, false) },
	"utils.InstanceFormater.to_pb":        (*call).instanceToPB,
	"utils.InstanceFormater.to_json":      (*call).instanceToJSON,
	"utils.InstanceFormater.to_pb_text":   (*call).instanceToText,
}

func (c *call) genStatusProto() (any, error) {
	return agent.GenStatusProto(env.Code(c.in.integerOr("error_code", 0)), c.in.optStr("error_message")), nil
}

func (c *call) genModelVersionStatus() (any, error) {
	return agent.GenModelVersionStatus(int64(c.in.integer("version")), env.ModelState(c.in.integerOr("state", 0)),
		env.Code(c.in.integerOr("error_code", 0)), c.in.optStr("error_message")), nil
}

func (c *call) makeTensorProto() (any, error) {
	instances := [][]byte{}
	for _, v := range c.in.list("instances") {
		data, ok := v.([]byte)
		if !ok {
			return nil, pysem.Raise("TypeError", "%s has type %s, but expected one of: bytes", pysem.Repr(v), pysem.TypeName(v))
		}
		instances = append(instances, data)
	}
	return agent.MakeTensorProto(instances), nil
}

func (c *call) instance(read func(*env.Env, string) (*agent.InstanceFormater, error), withText bool) (any, error) {
	f, err := read(c.env, c.in.str("fname"))
	if err != nil {
		return nil, err
	}
	out := object("instance", pb(f.Instance), "tensor", pb(f.TensorProto(c.in.integer("batch_size"))))
	if withText {
		out.Set("str", f.String())
	}
	return out, nil
}

func (c *call) formater() *agent.InstanceFormater {
	message := c.in.object("instance")
	data, err := hex.DecodeString(message.str("hex"))
	if err != nil {
		message.wrong("hex", "hexadecimal")
	}
	f := &agent.InstanceFormater{Instance: &matrix.Instance{}}
	if err := proto.Unmarshal(data, f.Instance); err != nil {
		message.wrong("hex", "a serialised parser.proto.Instance")
	}
	return f
}

func (c *call) written(path string, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	content, err := c.env.Files.ReadFile(path)
	return object("path", path, "content", content), err
}

func (c *call) instanceToPB() (any, error) {
	return c.written(c.formater().ToPB(c.env, c.in.optStr("fname")))
}

func (c *call) instanceToJSON() (any, error) {
	return c.written(c.formater().ToJSON(c.env, c.in.optStr("fname"), c.quirks))
}

func (c *call) instanceToText() (any, error) {
	return c.written(c.formater().ToText(c.env, c.in.optStr("fname"), c.quirks))
}
