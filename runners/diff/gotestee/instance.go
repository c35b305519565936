package gotestee

import (
	"encoding/hex"
	"math"
	"math/big"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/clients"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// instanceOps answers the operations of section 5 that make messages: those of utils.py
// about states, tensors and InstanceFormater.
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
	code, err := int32In(c.In, "error_code")
	return agentconfig.GenStatusProto(rpcerrors.Code(code), c.In.OptStr("error_message")), err
}

func (c *call) genModelVersionStatus() (any, error) {
	version, err := intIn(c.In, "version", math.MinInt64, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	state, err := int32In(c.In, "state")
	if err != nil {
		return nil, err
	}
	code, err := int32In(c.In, "error_code")
	return agentconfig.GenModelVersionStatus(version, env.ModelState(state), rpcerrors.Code(code), c.In.OptStr("error_message")), err
}

// int32In returns an int for a field of 32 bits, 0 for null; see intIn.
func int32In(a caseworld.Arguments, name string) (int32, error) {
	if a.Value(name) == nil {
		return 0, nil
	}
	n, err := intIn(a, name, math.MinInt32, math.MaxInt32)
	return int32(n), err
}

// intIn returns an int or a bool that a field of a message takes, one that it does not hold is
// protobuf's ValueError.
func intIn(a caseworld.Arguments, name string, least, most int64) (int64, error) {
	n, ok := pysem.Big(a.Value(name))
	if !ok {
		return int64(a.Integer(name)), nil // which says what is wrong with the case
	}
	if n.Cmp(big.NewInt(least)) < 0 || n.Cmp(big.NewInt(most)) > 0 {
		return 0, pysem.Raise("ValueError", "Value out of range: %s", n)
	}
	return n.Int64(), nil
}

func (c *call) makeTensorProto() (any, error) {
	instances := [][]byte{}
	for _, v := range c.In.List("instances") {
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
	out := caseworld.Object("instance", caseworld.PB(f.Instance), "tensor", caseworld.PB(f.TensorProto(c.In.Integer("batch_size"))))
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
