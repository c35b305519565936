package gotestee

import (
	"encoding/hex"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/message"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// instanceOps holds those operations of section 5 that make messages. They are about states,
// tensors and InstanceFormater in utils.py.
var instanceOps = table{
	"utils.gen_status_proto":              (*call).genStatusProto,
	"utils.gen_model_version_status":      (*call).genModelVersionStatus,
	"utils.make_tensor_proto":             (*call).makeTensorProto,
	"utils.InstanceFormater.from_json":    func(c *call) (any, error) { return c.instance(clients.InstanceFromJSON, false) },
	"utils.InstanceFormater.from_pb_text": func(c *call) (any, error) { return c.instance(clients.InstanceFromText, true) },
	"utils.InstanceFormater.from_dump":    func(c *call) (any, error) { return c.instance(clients.InstanceFromDump, false) },
	"utils.InstanceFormater.to_pb":        func(c *call) (any, error) { return c.written(c.formater().ToPB(c.Env, c.In.OptStr("fname"))) },
	"utils.InstanceFormater.to_json":      (*call).instanceToJSON,
	"utils.InstanceFormater.to_pb_text":   (*call).instanceToText,
}

func (c *call) genStatusProto() (any, error) {
	var m util.StatusProto
	if err := c.fields(&m, "error_code", "error_message"); err != nil {
		return nil, err
	}
	return agentconfig.GenStatusProto(rpcerrors.Code(m.GetErrorCode()), pysem.Some(m.GetErrorMessage())), nil
}

func (c *call) genModelVersionStatus() (any, error) {
	var m apis.ModelVersionStatus
	var status util.StatusProto
	if err := c.fields(&m, "version", "state"); err != nil {
		return nil, err
	}
	if err := c.fields(&status, "error_code", "error_message"); err != nil {
		return nil, err
	}
	code, message := rpcerrors.Code(status.GetErrorCode()), pysem.Some(status.GetErrorMessage())
	return agentconfig.GenModelVersionStatus(m.GetVersion(), env.ModelState(m.GetState()), code, message), nil
}

// fields sets fields of a message to the case's arguments of the same names. A value that does not
// fit is an error.
func (c *call) fields(m proto.Message, names ...string) error {
	for _, name := range names {
		if err := message.Set(m, name, c.In.Value(name)); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) makeTensorProto() (any, error) {
	items, err := caseworld.Items(c.In.Value("instances"))
	if err != nil {
		return nil, err
	}
	instances := [][]byte{}
	for _, v := range items {
		data, ok := v.([]byte)
		if !ok {
			return nil, pysem.Raise("TypeError", "%s has type %s, but expected one of: bytes", pysem.Repr(v), pysem.TypeName(v))
		}
		instances = append(instances, data)
	}
	return clients.MakeTensorProto(instances), nil
}

func (c *call) instance(read func(*env.Env, string) (*clients.InstanceFormater, error), withText bool) (any, error) {
	f, err := read(c.Env, c.In.Str("fname"))
	if err != nil {
		return nil, err
	}
	out := caseworld.Object("instance", caseworld.PB(f.Instance), "tensor", caseworld.PB(f.TensorProto(c.In.Count("batch_size"))))
	if withText {
		out.Set("str", f.String())
	}
	return out, nil
}

func (c *call) formater() *clients.InstanceFormater {
	message := c.In.Object("instance")
	data, err := hex.DecodeString(message.Str("hex"))
	if err != nil {
		message.Wrong("hex", "hexadecimal")
	}
	f := &clients.InstanceFormater{Instance: &matrix.Instance{}}
	if err := proto.Unmarshal(data, f.Instance); err != nil {
		message.Wrong("hex", "a serialised parser.proto.Instance")
	}
	return f
}

func (c *call) written(path string, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	content, err := c.Env.Files.ReadFile(path)
	return caseworld.Object("path", path, "content", content), err
}

func (c *call) instanceToJSON() (any, error) {
	return c.written(c.formater().ToJSON(c.Env, c.In.OptStr("fname"), c.Quirks))
}

func (c *call) instanceToText() (any, error) {
	return c.written(c.formater().ToText(c.Env, c.In.OptStr("fname"), c.Quirks))
}
