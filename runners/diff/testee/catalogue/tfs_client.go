package catalogue

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	core "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// tfsClientOps declares the operations on tfs_client.py.
var tfsClientOps = operations{
	"tfs_client.read_header": in(streamFields...),
	"tfs_client.read_data":   in(streamFields...),
	"tfs_client.get_example_batch_to_instance": func(d *draws, c *testee.Case) object {
		c.Files = dict("eb", batchText(d))
		return object{"input_file", "eb", "file_type", "pbtxt", "flags", []any{}}
	},
	"tfs_client.get_example_batch_proto": recorded("input_file", "batch_size", "file_type", "features?", "draws?"),
	"tfs_client.get_example_batch_proto_v2": func(d *draws, c *testee.Case) object {
		c.Files = dict("eb", d.fill(oneOf(framedBatch, framedBatch, streamOf)))
		return object{"input_file", "eb", "options?1", object{"batch_size", oneOf(8, 0)}, "globals?1", moduleNames, "flags?1", absent{}}
	},
	"tfs_client.get_instance_proto": func(d *draws, c *testee.Case) object {
		c.Files = dict("in", streamOf(d))
		return object{"input_file", "in", "batch_size", oneOf(1, 2, 3, 0), "draws?1", absent{}}
	},
	"tfs_client.generate_random_instance.shape": randomInstance,
	"tfs_client.generate_random_instance":       randomInstance,
	"tfs_client.generate_random_example_batch": in("features (list of keyword arguments of `feature_list.Feature`)", some(4, feature), "batch_size", oneOf(1, 2, 3, 0, -1),
		"draws?1", numbers),
	"tfs_client.gen_random_file":        recorded("input_file", "variant_type?", "options?", "globals?", "draws?"),
	"tfs_client.ProfileThread.sequence": recorded("threads (how many)", "model_name", "servers", "repeat_time", "data", "answers", "draws?", "until_ms"),
	"tfs_client.ProfileThread.run": in("job_id", oneOf(0, 1), "model_name", oneOf("m", ""), "servers (how many)", oneOf(1, 2), "repeat_time", oneOf(1, 2, 0, 130, -1),
		"data (the string of one TensorProto each)", several(3, oneOf("a", word)), "answers", several(6, oneOf(250, 1000, 333, 100, 1, 999, -300, 61000)),
		"nanosecond?1", oneOf(0, 500000000, 999999999, 123456789), "draws?1", numbers, "options?1", absent{}),
	"tfs_client.main": tfsProgram,
}

func randomInstance(d *draws, _ *testee.Case) object {
	slots := d.flip(2)
	return object{"slots?1", given(slots, some(4, oneOf(1, 7, 200, 1023, 1024, -1))), "vocab_sizes?1", given(slots, some(4, oneOf(5, 1, 2, 0, -1))), "draws?1", numbers}
}

// numbers draws the numbers that a testee uses in place of random numbers.
var numbers = some(6, oneOf(0, 1, 2, 7, 999, 1<<48, object{"$int", "9223372036854775806"}))

// feature draws the description of a column in an example batch.
var feature = object{"feature_name", oneOf("f_user_id", "fc_item_id", "item_name", "f_age", "FC_X_ID", "f_a_id-f_b_id", "f_id_cp", "f_", "fc_é_id", "f_x_id_lt_2", nil),
	"method", oneOf("Direct", "VectorTop", "VectorTopString", "vectortop", "Combine", nil), "slot", oneOf(1, 200, 0, 65535, 65536, -1, nil),
	"args?", oneOf([]any{"3"}, []any{"0"}, []any{}, []any{"x", "3"}, []any{"5", "1"}, []any{"²"}, []any{"٣"}, []any{"-1"}, []any{" 2"}, nil)}

// framedBatch draws an example batch with its size in front. It has the columns slot_1 and
// fc_slot_1 with two examples, and slot_2 with one.
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

// moduleNames draws values for names that the reference's module uses but does not define.
var moduleNames = object{"user_features?", some(3, oneOf(1, 2, 9)), "VALID_SLOTS?3", []any{1}}

func tfsProgram(d *draws, c *testee.Case) object {
	ports(d, c.Env)
	d.vary(c.Env, "SHARD_ID?3", oneOf("0", "3", "x"))
	c.Files = dict(
		"a.conf", fmt.Sprintf("bzid demo\nbase_name ctr\nbase_path /m\nagent_version 1\ndense_alone true\ndeploy_type %s\n", pick(d, "mixed", "ps", "entry", "dense", "unified")),
		"eb", framedBatch(d), "text", "batch_size: 1 named_feature_list { name: 'x' feature { fid_v2_list { value: 7 } } }",
		"models", pick(d, "model_config_list { config { name: 'm' } }", derive(d, "serverconfig")),
	)
	command := pick(d, "get", "status", "meta", "load", "profile", "hb")
	options := object{"conf", "a.conf", "cmd_type", command, "model_name?", oneOf("m", ""), "signature_name?", oneOf("s", ""), "target?", oneOf("a:1", "a:1,b:2", ""),
		"input_type?", oneOf("instance", "example_batch", "json", "dump"), "file_type?", oneOf("pbtxt", "pb"), "batch_size?", oneOf(1, 0),
		"profile_data_dir?", oneOf("d", "text"), "input_file!4", oneOf("eb", "text", "models", "missing")}
	reply := func(d *draws) *pysem.Dict { return tfsReply(d, command) }
	return object{"options", options, "answers", some(2, oneOf(10, -10)), "replies?", []any{reply}, "nanosecond?1", absent{}, "draws?1", absent{}, "flags?1", absent{}, "globals?1", moduleNames}
}

// tfsReply draws what a model server answers to a command of the client.
func tfsReply(d *draws, command string) *pysem.Dict {
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
		panic(err) // cannot happen: all of its strings are UTF-8
	}
	return hexBytes(string(data))
}

func tfsStatus(d *draws) *util.StatusProto {
	return &util.StatusProto{ErrorCode: core.Code(pick(d, 0, 3)), ErrorMessage: pick(d, "", "it's \"bad\"")}
}

// streamOf draws a stream of messages, each with its size in front. The stream may be cut off.
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

var streamFields = []any{"flags", func(d *draws) any {
	return slices.DeleteFunc([]any{"lagrangex_header", "has_sort_id", "kafka_dump", "kafka_dump_prefix"}, func(any) bool { return !d.flip(3) })
}, "stream (bytes)", streamOf}

// batchText draws an example batch as text.
func batchText(d *draws) string {
	value := func() string {
		return pick(d, "float_list { value: [1, 0.5] }", "fid_v1_list { value: [1, 2] }", "fid_v2_list { value: 18446744073709551615 }", "double_list { value: 2 }",
			"int64_list { value: [-1, 3] }", "bytes_list { value: 'ab' }", "")
	}
	text := fmt.Sprintf("batch_size: %d", 1+d.n(2))
	for range d.length(3) {
		text += fmt.Sprintf(" named_feature_list { name: '%s' feature { %s } feature { %s } }", pick(d, "__LABEL__", "__LINE_ID__", "fc_slot_1", "x", "模"), value(), value())
	}
	return pick(d, text, text, text, text, "", "x")
}
