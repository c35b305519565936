package conformance

import (
	"encoding/hex"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/runners/diff/testee"
)

// textField is a place in an answer that holds a message in protobuf text format.
type textField struct{ path, message string }

const (
	serverConfig = "tensorflow.serving.ModelServerConfig"
	platformMap  = "tensorflow.serving.PlatformConfigMap"
	instance     = "parser.proto.Instance"
)

// textFields lists, by operation, the places that hold protobuf text (rule 4 of the comparison).
var textFields = map[string][]textField{
	"utils.AgentConfig.get_cmd_and_port":              {{".model_config_text", serverConfig}},
	"utils.AgentConfig.generate_platform_config_file": {{".text", platformMap}},
	"utils.InstanceFormater.from_pb_text":             {{".str", instance}},
	"utils.InstanceFormater.to_pb_text":               {{".content", instance}},
	"agent_v3.AgentV3.layout_update_callback":         {{".initial_text", serverConfig}, {".file.text", serverConfig}},
	"agent_v3.AgentV3":                                {{".config_text", serverConfig}},
}

// textAt returns the message type of the protobuf text at a path, "" if there is none.
func (c *canon) textAt(path string) string {
	for _, f := range c.texts {
		if f.path == path {
			return f.message
		}
	}
	return ""
}

// canonicalMessage returns a message in a form that depends only on its content. If its type is
// unknown, or its bytes do not parse, the form has the hex digits as they are.
func canonicalMessage(name, digits string) canonMessage {
	if m, ok := messageOf(name, digits); ok {
		digits = deterministicHex(m)
	}
	return canonMessage{Name: name, Hex: digits}
}

// messageOf parses a message from the hex digits of its bytes.
func messageOf(name, digits string) (proto.Message, bool) {
	raw, err := hex.DecodeString(digits)
	m, ok := testee.NewMessage(name)
	return m, err == nil && ok && proto.Unmarshal(raw, m) == nil
}

// deterministicHex returns the bytes of a message in hex, with its fields in a fixed order. Unlike
// text, bytes keep unknown fields, and distinguish one NaN from another.
func deterministicHex(m proto.Message) string {
	// Marshal fails only if a required field is missing or a string is not UTF-8. Neither is
	// possible in a message that was parsed.
	raw, _ := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	return hex.EncodeToString(raw)
}

// canonicalText returns the canonical form of a message that is given in text format.
func canonicalText(name, text string) canonText {
	m, ok := testee.NewMessage(name)
	if !ok {
		return canonText{Name: name, Broken: strings.Join(strings.Fields(text), " ")}
	}
	if err := textformat.Parse(text, m); err != nil {
		return canonText{Name: name, Broken: fmt.Sprintf("does not parse (%v): %s", err, text)}
	}
	return canonText{Name: name, Hex: deterministicHex(m)}
}

func canonicalHexText(name, digits string) canonText {
	raw, err := hex.DecodeString(digits)
	if err != nil {
		return canonText{Name: name, Broken: "not hexadecimal: " + digits}
	}
	return canonicalText(name, string(raw))
}

// shownMessage returns a message as JSON for people, with its name under the key. It has the lines
// of the message's text. If the text would lose something, it has the bytes instead.
func shownMessage(key, name, digits string) *pysem.Dict {
	d := &pysem.Dict{Items: []pysem.Item{{Key: key, Value: name}}}
	text, ok := wholeText(name, digits)
	if !ok {
		d.Set("hex", digits)
		return d
	}
	lines := []any{}
	for l := range strings.Lines(text) {
		lines = append(lines, strings.TrimRight(l, "\n"))
	}
	d.Set("text", lines)
	return d
}

// wholeText returns a message in text format. ok is false if parsing that text would not give the
// same bytes again.
func wholeText(name, digits string) (string, bool) {
	m, ok := messageOf(name, digits)
	if !ok {
		return "", false
	}
	text, err := textpb.Marshal(m)
	again := m.ProtoReflect().New().Interface()
	if err != nil || textformat.Parse(text, again) != nil {
		return "", false
	}
	return text, deterministicHex(again) == digits
}
