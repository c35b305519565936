package server

import (
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/savedmodel"
	"github.com/monosim/monosim/sim/tfserving/serve/export"
)

// WriteVersion exports a version of a model below its base path. The model takes a list of
// floats as x and returns it as y.
func WriteVersion(base string, version int64) error {
	return Write(base, version, savedmodel.Small{Input: "x", Output: "y", Type: framework.DataType_DT_FLOAT})
}

// Write exports a version of the given model, as [WriteVersion] does.
func Write(base string, version int64, model savedmodel.Small) error {
	data, err := model.Marshal()
	if err != nil {
		return err
	}
	return export.Version(base, version, data)
}
