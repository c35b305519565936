package tensor

import (
	"fmt"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
)

// kind says how the elements of a dtype are stored and converted.
type kind uint8

const (
	noKind kind = iota
	floatKind
	halfKind
	bfloatKind
	intKind
	uintKind
	boolKind
	complexKind
	stringKind
)

type dtypeInfo struct {
	name  string // name is the text of tensorflow::DataTypeString
	kind  kind   // kind is noKind for dtypes such as resources, whose elements are no numbers, booleans or strings
	bytes int    // bytes is the size of an element; 0 for strings
}

// dtypes holds the dtypes of TFS-15.5, by number.
var dtypes = [...]dtypeInfo{
	framework.DataType_DT_INVALID:    {"INVALID", noKind, 0},
	framework.DataType_DT_FLOAT:      {"float", floatKind, 4},
	framework.DataType_DT_DOUBLE:     {"double", floatKind, 8},
	framework.DataType_DT_INT32:      {"int32", intKind, 4},
	framework.DataType_DT_UINT8:      {"uint8", uintKind, 1},
	framework.DataType_DT_INT16:      {"int16", intKind, 2},
	framework.DataType_DT_INT8:       {"int8", intKind, 1},
	framework.DataType_DT_STRING:     {"string", stringKind, 0},
	framework.DataType_DT_COMPLEX64:  {"complex64", complexKind, 8},
	framework.DataType_DT_INT64:      {"int64", intKind, 8},
	framework.DataType_DT_BOOL:       {"bool", boolKind, 1},
	framework.DataType_DT_QINT8:      {"qint8", intKind, 1},
	framework.DataType_DT_QUINT8:     {"quint8", uintKind, 1},
	framework.DataType_DT_QINT32:     {"qint32", intKind, 4},
	framework.DataType_DT_BFLOAT16:   {"bfloat16", bfloatKind, 2},
	framework.DataType_DT_QINT16:     {"qint16", intKind, 2},
	framework.DataType_DT_QUINT16:    {"quint16", uintKind, 2},
	framework.DataType_DT_UINT16:     {"uint16", uintKind, 2},
	framework.DataType_DT_COMPLEX128: {"complex128", complexKind, 16},
	framework.DataType_DT_HALF:       {"half", halfKind, 2},
	framework.DataType_DT_RESOURCE:   {"resource", noKind, 0},
	framework.DataType_DT_VARIANT:    {"variant", noKind, 0},
	framework.DataType_DT_UINT32:     {"uint32", uintKind, 4},
	framework.DataType_DT_UINT64:     {"uint64", uintKind, 8},
}

// refOffset is the difference between a dtype's number and that of its _REF form (TFS-15.5).
const refOffset = 100

// DTypeName returns a dtype's name as TensorFlow's messages print it, such as "float", "int64" or
// "float_ref" (tensorflow::DataTypeString).
func DTypeName(dtype framework.DataType) string {
	switch {
	case dtype >= 0 && int(dtype) < len(dtypes):
		return dtypes[dtype].name
	case dtype > refOffset && int(dtype) < refOffset+len(dtypes):
		return dtypes[dtype-refOffset].name + "_ref"
	}
	return fmt.Sprintf("unknown dtype enum (%d)", int(dtype))
}

// Size returns the number of bytes of one element; 0 for strings and for dtypes such as resources.
func Size(dtype framework.DataType) int { return infoOf(dtype).bytes }

func infoOf(dtype framework.DataType) dtypeInfo {
	if dtype >= 0 && int(dtype) < len(dtypes) {
		return dtypes[dtype]
	}
	return dtypeInfo{}
}
