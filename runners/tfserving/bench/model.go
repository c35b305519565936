package bench

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// The served model takes a list of numbers and returns a score. With this many inputs a
// request has about 1 KiB.
const (
	inputAlias   = "x"
	outputAlias  = "scores"
	inputs       = 246
	signature    = "serving_default"
	modelVersion = 1
)

var model = savedmodel.Small{Input: inputAlias, Output: outputAlias, Type: framework.DataType_DT_FLOAT, Row: inputs}

// modelName returns the name of the n-th model.
func modelName(n int) string { return fmt.Sprintf("model_%04d", n) }

// exportModels exports the given number of models below a directory. It returns the text of
// a model config that lists them.
func exportModels(dir string, models int) (config string, err error) {
	data, err := model.Marshal()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	text.WriteString("model_config_list {\n")
	for n := range models {
		base := filepath.Join(dir, modelName(n))
		if err := export.Version(base, modelVersion, data); err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "  config { name: %q base_path: %q model_platform: \"tensorflow\" }\n", modelName(n), base)
	}
	text.WriteString("}\n")
	return text.String(), nil
}

func shapeOf(dims ...int64) *framework.TensorShapeProto {
	shape := &framework.TensorShapeProto{}
	for _, size := range dims {
		shape.Dim = append(shape.Dim, &framework.TensorShapeProto_Dim{Size: size})
	}
	return shape
}
