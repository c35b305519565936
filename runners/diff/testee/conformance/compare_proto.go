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

// textField is a place of an answer that holds protobuf text format.
type textField struct{ path, message string }

const (
	serverConfig = "tensorflow.serving.ModelServerConfig"
	platformMap  = "tensorflow.serving.PlatformConfigMap"
	instance     = "parser.proto.Instance"
)

// textFields lists the places of protobuf text (rule 4 of the comparison) by operation.
var textFields = map[string][]textField{
	"utils.AgentConfig.get_cmd_and_port":              {{".model_config_text", serverConfig}},
	"utils.AgentConfig.generate_platform_config_file": {{".text", platformMap}},
	"utils.InstanceFormater.from_pb_text":             {{".str", instance}},
	"utils.InstanceFormater.to_pb_text":               {{".content", instance}},
	"agent_v3.AgentV3.layout_update_callback":         {{".initial_text", serverConfig}, {".file.text", serverConfig}},
	"agent_v3.AgentV3":                                {{".config_text", serverConfig}},
}

// textAt returns the type of the message whose text stands at the path, "" for none.
func (c *canon) textAt(path string) string {
	for _, f := range c.texts {
		if f.path == path {
			return f.message
		}
	}
	return ""
}

// canonicalMessage returns a message by its content. A message whose type is not linked, or
// that does not parse, is compared by its given digits.
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

// deterministicHex returns a message's bytes in a fixed order of fields. Bytes tell one nan
// from another and keep unknown fields, which text does not.
func deterministicHex(m proto.Message) string {
	// Marshal fails only for a missing required field or a string that is not UTF-8, and a
	// parsed message has neither.
	raw, _ := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	return hex.EncodeToString(raw)
}

// canonicalText returns the message that a text stands for.
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

// shownMessage returns a message as JSON for people, its name under the key. It has the
// lines of the message's text, or its bytes where the text loses something.
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

// wholeText returns the text of a message if it gives the same bytes again.
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
