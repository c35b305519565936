package testee

import (
	"encoding/hex"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	// The messages of the protocol's answers are found by their names.
	_ "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	_ "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	_ "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	_ "github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/proto/textpb"
)

// textField is a place of an answer that holds protobuf text format.
type textField struct{ path, message string }

const (
	serverConfig = "tensorflow.serving.ModelServerConfig"
	platformMap  = "tensorflow.serving.PlatformConfigMap"
	instance     = "parser.proto.Instance"
)

// textFields is rule 4 of the comparison, by operation.
var textFields = map[string][]textField{
	"utils.AgentConfig.get_cmd_and_port":              {{".model_config_text", serverConfig}},
	"utils.AgentConfig.generate_platform_config_file": {{".text", platformMap}},
	"utils.InstanceFormater.from_pb_text":             {{".str", instance}},
	"utils.InstanceFormater.to_pb_text":               {{".content", instance}},
	"agent_v3.AgentV3.layout_update_callback":         {{".initial_text", serverConfig}, {".file.text", serverConfig}},
	"agent_v3.AgentV3":                                {{".config_text", serverConfig}},
}

// textAt is the message whose text stands at the path, "" for none.
func (c *canon) textAt(path string) string {
	for _, f := range c.texts {
		if f.path == path {
			return f.message
		}
	}
	return ""
}

func newMessage(name string) (proto.Message, bool) {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return nil, false
	}
	return kind.New().Interface(), true
}

// canonicalMessage is a message by its content. One whose type is not linked, or
// that does not parse, is compared byte by byte.
func canonicalMessage(name, digits string) canonMessage {
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return canonMessage{Name: name, Fields: "not hexadecimal: " + digits}
	}
	m, ok := newMessage(name)
	if !ok || proto.Unmarshal(raw, m) != nil {
		return canonMessage{Name: name, Fields: "bytes " + digits}
	}
	return canonMessage{Name: name, Fields: messageFields(m)}
}

// messageFields shows a message: its text for the reader of a difference, and its
// deterministic bytes, which alone tell nan from nan and keep unknown fields.
func messageFields(m proto.Message) string {
	raw, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		return fmt.Sprintf("does not serialise: %v", err)
	}
	text, err := textpb.Marshal(m)
	if err != nil {
		text = "no text: " + err.Error() + "\n"
	}
	return text + "= " + hex.EncodeToString(raw)
}

// canonicalText is a text by the message that it stands for.
func canonicalText(name, text string) any {
	m, ok := newMessage(name)
	if !ok {
		return canonText{Text: strings.Join(strings.Fields(text), " ")}
	}
	if err := textpb.UnmarshalKnown(text, m); err != nil {
		return canonText{Text: fmt.Sprintf("does not parse (%v): %s", err, text)}
	}
	return canonText{Text: messageFields(m)}
}

func canonicalHexText(name, digits string) any {
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return canonText{Text: "not hexadecimal: " + digits}
	}
	return canonicalText(name, string(raw))
}
