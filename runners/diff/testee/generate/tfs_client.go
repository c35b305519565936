package generate

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	core "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genTFSClient invents for section 17 of the protocol.
var genTFSClient = map[string]generator{
	"tfs_client.read_header":                   genStream,
	"tfs_client.read_data":                     genStream,
	"tfs_client.get_example_batch_to_instance": genBatch,
	"tfs_client.get_instance_proto": func(d *draws, c *testee.Case) {
		c.Files = dict("in", streamOf(d))
		c.In = dict("input_file", "in", "batch_size", pick(d, 1, 2, 3, 0))
	},
	"tfs_client.generate_random_instance.shape": genRandomInstance,
	"tfs_client.generate_random_instance":       genRandomInstance,
	"tfs_client.generate_random_example_batch": func(d *draws, c *testee.Case) {
		c.In = dict("features", list(d, 4, func() any { return feature(d) }), "batch_size", pick(d, 1, 2, 3, 0, -1), "draws", numbers(d))
	},
	"tfs_client.get_example_batch_proto_v2": func(d *draws, c *testee.Case) {
		c.Files = dict("eb", streamOf(d))
		c.In = dict("input_file", "eb", "options", dict("batch_size", pick(d, 8, 0)))
		if !d.flip(3) {
			c.Files.Set("eb", framedBatch(d))
		}
		moduleNames(d, c.In)
	},
	"tfs_client.ProfileThread.run": genProfileThread,
	"tfs_client.main":              genTFSProgram,
}

func genRandomInstance(d *draws, c *testee.Case) {
	c.In = dict("draws", numbers(d))
	if d.flip(2) {
		c.In.Set("slots", list(d, 4, func() any { return pick(d, 1, 7, 200, 1023, 1024, -1) }))
		c.In.Set("vocab_sizes", list(d, 4, func() any { return pick(d, 5, 1, 2, 0, -1) }))
	}
}

// numbers are what the random numbers of a case are made from.
func numbers(d *draws) []any {
	return list(d, 6, func() any { return pick[any](d, 0, 1, 2, 7, 999, 1<<48, dict("$int", "9223372036854775806")) })
}

// feature is a column of an example batch.
func feature(d *draws) *pysem.Dict {
	f := dict("feature_name", pick[any](d, "f_user_id", "fc_item_id", "item_name", "f_age", "FC_X_ID", "f_a_id-f_b_id", "f_id_cp", "f_", "fc_é_id", "f_x_id_lt_2", nil),
		"method", pick[any](d, "Direct", "VectorTop", "VectorTopString", "vectortop", "Combine", nil),
		"slot", pick[any](d, 1, 200, 0, 65535, 65536, -1, nil))
	if d.flip(2) {
		f.Set("args", pick[any](d, []any{"3"}, []any{"0"}, []any{}, []any{"x", "3"}, []any{"5", "1"}, []any{"²"}, []any{"٣"}, []any{"-1"}, []any{" 2"}, nil))
	}
	return f
}

// framedBatch is an example batch with its size before it: two examples of the
// columns slot_1 and fc_slot_1, and one of slot_2.
func framedBatch(d *draws) *pysem.Dict {
	const value = "\x12\x0c\x12\x0a\x0a\x08\x05\x00\x00\x00\x00\x00\x01\x00"
	column := func(name, values string) string {
		content := "\x0a" + string(rune(len(name))) + name + values
		return "\x0a" + string(rune(len(content))) + content
	}
	batch := column("slot_1", value+value)
	if d.flip(2) {
		batch += column("slot_2", value) + column("fc_slot_1", "")
	}
	batch += pick(d, "\x18\x02", "\x18\x01", "")
	return hexBytes(string(rune(len(batch))) + "\x00\x00\x00\x00\x00\x00\x00" + batch)
}

// moduleNames fills what the reference leaves out.
func moduleNames(d *draws, in *pysem.Dict) {
	names := dict()
	if d.flip(2) {
		names.Set("user_features", list(d, 3, func() any { return pick(d, 1, 2, 9) }))
	}
	if d.flip(3) {
		names.Set("VALID_SLOTS", []any{1})
	}
	in.Set("globals", names)
}

func genProfileThread(d *draws, c *testee.Case) {
	answers := []any{pick(d, 250, 1000, 333)}
	for range d.length(5) {
		answers = append(answers, pick(d, 100, 1, 999, -300, 61000, 0, -1))
	}
	c.In = dict("job_id", pick(d, 0, 1), "model_name", pick(d, "m", ""), "servers", pick(d, 1, 2), "repeat_time", pick(d, 1, 2, 0, 130, -1),
		"data", append([]any{"a"}, list(d, 2, func() any { return word(d) })...), "answers", answers,
		"draws", numbers(d), "nanosecond", pick(d, 0, 500000000, 999999999, 123456789))
}

func genTFSProgram(d *draws, c *testee.Case) {
	ports(d, c.Env)
	if d.flip(3) {
		c.Env.Set("SHARD_ID", pick(d, "0", "3", "x"))
	}
	c.Files = dict(
		"a.conf", fmt.Sprintf("bzid demo\nbase_name ctr\nbase_path /m\nagent_version 1\ndense_alone true\ndeploy_type %s\n", pick(d, "mixed", "ps", "entry", "dense", "unified")),
		"eb", framedBatch(d), "text", "batch_size: 1 named_feature_list { name: 'x' feature { fid_v2_list { value: 7 } } }",
		"models", "model_config_list { config { name: 'm' } }",
	)
	options := dict("conf", "a.conf", "cmd_type", pick(d, "get", "status", "meta", "load", "profile", "hb"))
	for _, o := range []struct {
		name   string
		values []any
	}{
		{"model_name", []any{"m", ""}},
		{"signature_name", []any{"s", ""}},
		{"target", []any{"a:1", "a:1,b:2", ""}},
		{"input_type", []any{"instance", "example_batch", "json", "dump"}},
		{"file_type", []any{"pbtxt", "pb"}},
		{"batch_size", []any{1, 0}},
		{"profile_data_dir", []any{"d", "text"}},
	} {
		if d.flip(2) {
			options.Set(o.name, pick(d, o.values...))
		}
	}
	if !d.flip(4) {
		options.Set("input_file", pick(d, "eb", "text", "models", "missing"))
	}
	c.In = dict("options", options, "answers", list(d, 2, func() any { return pick(d, 10, -10) }))
	if d.flip(2) {
		c.In.Set("replies", []any{tfsReply(d, options)})
	}
	moduleNames(d, c.In)
}

// streamOf is messages with sizes before them, whole or cut off.
// tfsReply is the answer of a model server to the command of the options.
func tfsReply(d *draws, options *pysem.Dict) *pysem.Dict {
	command, _ := options.Get("cmd_type")
	var reply proto.Message
	switch command {
	case "status":
		reply = &apis.GetModelStatusResponse{ModelVersionStatus: []*apis.ModelVersionStatus{{
			Version: int64(pick(d, 1, 0, -1, 1<<60)), State: apis.ModelVersionStatus_State(pick(d, 30, 0, 50)), Status: tfsStatus(d),
		}}}
	case "load":
		reply = &apis.ReloadConfigResponse{Status: tfsStatus(d)}
	case "meta":
		reply = &apis.GetModelMetadataResponse{ModelSpec: &apis.ModelSpec{Name: pick(d, "m", "模"), SignatureName: pick(d, "", "s")}}
	default:
		tensor := &framework.TensorProto{Dtype: framework.DataType_DT_FLOAT, FloatVal: []float32{pick[float32](d, 0.5, 0, 1e30, 0.1)}}
		reply = &apis.PredictResponse{Outputs: map[string]*framework.TensorProto{pick(d, "y", "a"): tensor, "x": {StringVal: [][]byte{[]byte(pick(d, "", "\xff\"", "é"))}}}}
	}
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(reply)
	if err != nil {
		panic(err) // nothing in it is no UTF-8
	}
	return hexBytes(string(data))
}

func tfsStatus(d *draws) *util.StatusProto {
	return &util.StatusProto{ErrorCode: core.Code(pick(d, 0, 3)), ErrorMessage: pick(d, "", "it's \"bad\"")}
}

func streamOf(d *draws) *pysem.Dict {
	var b []byte
	size := func(n int) {
		for i := range 8 {
			b = append(b, byte(n>>(8*i)))
		}
	}
	for range d.length(3) {
		message := pick(d, "\x0a\x08\x00\x00\x00\x00\x00\x00\x00\x00\x1a\x04\x00\x00\x00\x00", "hello", "", "\x1a\x04\x00\x00\x80\x3f")
		switch d.n(5) {
		case 3:
			size(pick(d, 0, 1, len(message)+3))
		case 4:
			size(4)
			b = append(b, "SORT"...)
		}
		size(len(message))
		b = append(b, message...)
	}
	if d.flip(3) && len(b) > 0 {
		b = b[:d.n(len(b))]
	}
	return hexBytes(string(b))
}

func genStream(d *draws, c *testee.Case) {
	flags := []any{}
	for _, flag := range []string{"lagrangex_header", "has_sort_id", "kafka_dump", "kafka_dump_prefix"} {
		if d.flip(3) {
			flags = append(flags, flag)
		}
	}
	c.In = dict("flags", flags, "stream", streamOf(d))
}

func genBatch(d *draws, c *testee.Case) {
	value := func() string {
		return pick(d, "float_list { value: [1, 0.5] }", "fid_v1_list { value: [1, 2] }", "fid_v2_list { value: 18446744073709551615 }", "double_list { value: 2 }",
			"int64_list { value: [-1, 3] }", "bytes_list { value: 'ab' }", "")
	}
	text := fmt.Sprintf("batch_size: %d", 1+d.n(2))
	for range d.length(3) {
		text += fmt.Sprintf(" named_feature_list { name: '%s' feature { %s } feature { %s } }", pick(d, "__LABEL__", "__LINE_ID__", "fc_slot_1", "x", "模"), value(), value())
	}
	c.Files = dict("eb", pick(d, text, text, text, text, "", "x"))
	c.In = dict("input_file", "eb", "file_type", "pbtxt", "flags", []any{})
}
