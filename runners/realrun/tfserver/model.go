package tfserver

import (
	"os"
	"path/filepath"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
)

// Model answers its one input, a list, as y.
type Model struct {
	Input string
	Type  framework.DataType
}

// WriteVersion exports version of a model below its base path, whose input x is a
// list of floats. It appears in one step, as exporters rename a finished one; a
// directory that is there already is filled.
func WriteVersion(base string, version int64) error {
	return Model{Input: "x", Type: framework.DataType_DT_FLOAT}.Write(base, version)
}

// Write is [WriteVersion] of the model.
func (m Model) Write(base string, version int64) error {
	model, err := m.savedModel()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(base), "export")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	export, name := filepath.Join(made, "export"), filepath.Join(base, strconv.FormatInt(version, 10))
	if err := os.Mkdir(export, 0o755); err != nil {
		return err
	}
	const file = "saved_model.pb"
	if err := os.WriteFile(filepath.Join(export, file), model, 0o644); err != nil {
		return err
	}
	if _, err := os.Stat(name); err == nil {
		return os.Rename(filepath.Join(export, file), filepath.Join(name, file))
	}
	return os.Rename(export, name)
}

func (m Model) savedModel() ([]byte, error) {
	graph := &framework.GraphDef{}
	for _, node := range [][]byte{m.node("x", "Placeholder", "", "dtype"), m.node("y", "Identity", "x", "T")} {
		parsed := &framework.NodeDef{}
		if err := proto.Unmarshal(node, parsed); err != nil {
			return nil, err
		}
		graph.Node = append(graph.Node, parsed)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(&tfcore.SavedModel{
		SavedModelSchemaVersion: 1,
		MetaGraphs: []*tfcore.MetaGraphDef{{
			MetaInfoDef: &tfcore.MetaGraphDef_MetaInfoDef{Tags: []string{"serve"}},
			GraphDef:    graph,
			SignatureDef: map[string]*tfcore.SignatureDef{"serving_default": {
				Inputs:     map[string]*tfcore.TensorInfo{m.Input: m.list("x:0")},
				Outputs:    map[string]*tfcore.TensorInfo{"y": m.list("y:0")},
				MethodName: "tensorflow/serving/predict",
			}},
		}},
	})
}

// list is one of any length.
func (m Model) list(tensor string) *tfcore.TensorInfo {
	return &tfcore.TensorInfo{
		Encoding: &tfcore.TensorInfo_Name{Name: tensor}, Dtype: m.Type,
		TensorShape: &framework.TensorShapeProto{Dim: []*framework.TensorShapeProto_Dim{{Size: -1}}},
	}
}

// node is a NodeDef with the type as an attribute, as bytes: our NodeDef has not all
// of these fields.
func (m Model) node(name, op, input, typeAttribute string) []byte {
	const nameField, opField, inputField, attrField = 1, 2, 3, 5
	data := text(text(nil, nameField, name), opField, op)
	if input != "" {
		data = text(data, inputField, input)
	}
	const keyField, valueField, typeField = 1, 2, 6
	element := protowire.AppendVarint(protowire.AppendTag(nil, typeField, protowire.VarintType), uint64(m.Type))
	return text(data, attrField, string(text(text(nil, keyField, typeAttribute), valueField, string(element))))
}

// text appends a field of a string, bytes or a message.
func text(data []byte, field protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(data, field, protowire.BytesType), value)
}
