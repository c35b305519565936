package tfbench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	tfcore "github.com/monosim/monosim/engine/proto/tensorflow/core/protobuf"
)

// The model that is served: a row of inputs goes in, a score comes out. With so
// many inputs a request is about 1 KiB.
const (
	inputAlias   = "x"
	outputAlias  = "scores"
	inputs       = 246
	signature    = "serving_default"
	modelVersion = 1
)

// modelName is the name of the n-th model.
func modelName(n int) string { return fmt.Sprintf("model_%04d", n) }

// export writes so many models below a directory and gives the text of a model
// config that has them.
func export(dir string, models int) (config string, err error) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(savedModel())
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("model_config_list {\n")
	for n := range models {
		base := filepath.Join(dir, modelName(n))
		version := filepath.Join(base, fmt.Sprint(modelVersion))
		if err := os.MkdirAll(version, 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(version, "saved_model.pb"), data, 0o644); err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "  config { name: %q base_path: %q model_platform: \"tensorflow\" }\n", modelName(n), base)
	}
	text.WriteString("}\n")
	return text.String(), nil
}

func savedModel() *tfcore.SavedModel {
	return &tfcore.SavedModel{
		SavedModelSchemaVersion: 1,
		MetaGraphs: []*tfcore.MetaGraphDef{{
			MetaInfoDef: &tfcore.MetaGraphDef_MetaInfoDef{Tags: []string{"serve"}},
			SignatureDef: map[string]*tfcore.SignatureDef{signature: {
				Inputs:     map[string]*tfcore.TensorInfo{inputAlias: floats("x:0", -1, inputs)},
				Outputs:    map[string]*tfcore.TensorInfo{outputAlias: floats("scores:0", -1)},
				MethodName: "tensorflow/serving/predict",
			}},
		}},
	}
}

// floats are of a shape in which -1 is any number.
func floats(tensor string, shape ...int64) *tfcore.TensorInfo {
	return &tfcore.TensorInfo{
		Encoding: &tfcore.TensorInfo_Name{Name: tensor}, Dtype: framework.DataType_DT_FLOAT, TensorShape: shapeOf(shape...),
	}
}

func shapeOf(dims ...int64) *framework.TensorShapeProto {
	shape := &framework.TensorShapeProto{}
	for _, size := range dims {
		shape.Dim = append(shape.Dim, &framework.TensorShapeProto_Dim{Size: size})
	}
	return shape
}
