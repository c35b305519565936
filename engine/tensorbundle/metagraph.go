package tensorbundle

import (
	"encoding/binary"
	"fmt"
)

// MetaGraph returns an encoded MetaGraphDef: a graph that has the tensors as variables, and that saves
// and restores them as a sharded saver does. tf.train.import_meta_graph gives the saver of a
// checkpoint that [Write] makes of these tensors.
func MetaGraph(tensors []Tensor, shards int) []byte {
	g := &graph{}
	var variables []message
	for _, t := range tensors {
		variables = append(variables, g.variable(t))
	}
	g.saver(tensors, shards)
	saver := message{}.text(saverFilename, "save/Const:0").text(saverSave, "save/Identity:0").text(saverRestore, "save/restore_all").
		number(saverKeep, 5).number(saverSharded, 1).number(saverVersion, 2)
	meta := message{}.bytes(metaInfo, message{}.text(infoVersion, "2.4.4")).
		bytes(metaGraph, g.nodes.bytes(graphVersions, message{}.number(versionProducer, graphProducer))).
		bytes(metaSaver, saver)
	for _, collection := range []struct {
		name string
		has  func(t Tensor) bool
	}{
		{"global_step", func(t Tensor) bool { return t.Name == "global_step" }},
		{"trainable_variables", Tensor.trains},
		{"variables", func(Tensor) bool { return true }},
	} {
		list := message{}
		for i, t := range tensors {
			if collection.has(t) {
				list = list.bytes(listOfBytes, variables[i])
			}
		}
		meta = meta.bytes(metaCollection, message{}.text(mapKey, collection.name).bytes(mapValue, message{}.bytes(collectionBytes, list)))
	}
	return meta
}

// The fields of MetaGraphDef and of the messages in it.
const (
	metaInfo, metaGraph, metaSaver, metaCollection, infoVersion = 1, 2, 3, 4, 5
	saverFilename, saverSave, saverRestore                      = 1, 2, 3
	saverKeep, saverSharded, saverVersion                       = 4, 5, 7
	graphNode, graphVersions                                    = 1, 4
	nodeName, nodeOp, nodeInput, nodeDevice, nodeAttr           = 1, 2, 3, 4, 5
	mapKey, mapValue, collectionBytes, listOfBytes              = 1, 2, 2, 1
	variableName, variableInitializer, variableSnapshot         = 1, 2, 3
	variableIsResource, variableInitial, variableTrainable      = 5, 6, 7
	attrList, attrString, attrInt, attrBool                     = 1, 2, 3, 5
	attrType, attrShape, attrTensor, listTypes                  = 6, 7, 8, 6
	tensorType, tensorShape, tensorContent, tensorString        = 1, 2, 4, 8
)

// graphProducer is the version of graphs that TensorFlow 2.4 makes.
const graphProducer = 561

// The further types that the graph of a saver has.
const (
	int32Type  Type = 3
	stringType Type = 7
)

// graph is an encoded GraphDef without its version.
type graph struct{ nodes message }

// attr is an attribute of a node, with an encoded value.
type attr struct {
	name  string
	value message
}

func typed(name string, t Type) attr { return attr{name, message{}.number(attrType, uint64(t))} }
func counted(n int) attr             { return attr{"N", message{}.number(attrInt, uint64(n))} }
func shaped(name string, shape ...int64) attr {
	return attr{name, message{}.bytes(attrShape, shapeOf(shape))}
}

// add adds a node and returns its name. An input that begins with ^ is a node to run first.
func (g *graph) add(device, name, op string, inputs []string, attrs ...attr) string {
	n := message{}.text(nodeName, name).text(nodeOp, op)
	for _, input := range inputs {
		n = n.text(nodeInput, input)
	}
	if device != "" {
		n = n.text(nodeDevice, device)
	}
	for _, a := range attrs {
		n = n.bytes(nodeAttr, message{}.text(mapKey, a.name).bytes(mapValue, a.value))
	}
	g.nodes = g.nodes.bytes(graphNode, n)
	return name
}

// constant adds a node with the elements of a tensor of a type.
func (g *graph) constant(device, name string, t Type, tensor message) string {
	return g.add(device, name, "Const", nil, typed("dtype", t), attr{"value", message{}.bytes(attrTensor, tensor)})
}

// texts adds a node with texts: a scalar if one is said to be alone, otherwise a list.
func (g *graph) texts(device, name string, alone bool, texts ...string) string {
	var shape []int64
	if !alone {
		shape = []int64{int64(len(texts))}
	}
	tensor := message{}.number(tensorType, uint64(stringType)).bytes(tensorShape, shapeOf(shape))
	for _, s := range texts {
		tensor = tensor.text(tensorString, s)
	}
	return g.constant(device, name, stringType, tensor)
}

// int32 adds a node with a number.
func (g *graph) int32(device, name string, n int) string {
	content := binary.LittleEndian.AppendUint32(nil, uint32(n))
	return g.constant(device, name, int32Type, message{}.number(tensorType, uint64(int32Type)).bytes(tensorShape, nil).bytes(tensorContent, content))
}

// variable adds a variable with the initial value 0, and returns its VariableDef.
func (g *graph) variable(t Tensor) message {
	on := deviceOf(t.Shard)
	zeros := message{}.number(tensorType, uint64(t.Type)).bytes(tensorShape, shapeOf(t.Shape)).bytes(tensorContent, make([]byte, len(t.Data)))
	initial := g.constant(on, t.Name+"/Initializer/zeros", t.Type, zeros)
	g.add(on, t.Name, "VarHandleOp", nil, typed("dtype", t.Type), shaped("shape", t.Shape...), attr{"shared_name", message{}.text(attrString, t.Name)})
	assign := g.add(on, t.Name+"/Assign", "AssignVariableOp", []string{t.Name, initial}, typed("dtype", t.Type))
	read := g.add(on, t.Name+"/Read/ReadVariableOp", "ReadVariableOp", []string{t.Name}, typed("dtype", t.Type))
	def := message{}.text(variableName, t.Name+":0").text(variableInitializer, assign).text(variableSnapshot, read+":0").
		number(variableIsResource, 1).text(variableInitial, initial+":0")
	if t.trains() {
		def = def.number(variableTrainable, 1)
	}
	return def
}

// trains reports whether a training changes the tensor, other than by counting.
func (t Tensor) trains() bool { return t.Type == Float32 }

func deviceOf(shard int) string { return fmt.Sprintf("/job:ps/task:%d", shard) }

// saver adds what saves and restores the tensors.
func (g *graph) saver(tensors []Tensor, shards int) {
	input := g.texts("", "save/filename/input", true, "model")
	filename := g.add("", "save/filename", "PlaceholderWithDefault", []string{input}, typed("dtype", stringType), shaped("shape"))
	prefix := g.add("", "save/Const", "PlaceholderWithDefault", []string{filename}, typed("dtype", stringType), shaped("shape"))
	parts := g.add("", "save/StringJoin", "StringJoin", []string{prefix, g.texts("", "save/StringJoin/inputs_1", true, "_temp/part")}, counted(2))
	count := g.int32("", "save/num_shards", shards)
	var files, saved, restored []string
	for shard := range shards {
		at, on := func(name string) string { return fmt.Sprintf("save/%s_%d", name, shard) }, deviceOf(shard)
		var names, slices, reads, assigned []string
		types := message{}
		for _, t := range tensors {
			if t.Shard == shard {
				names, slices, reads = append(names, t.Name), append(slices, ""), append(reads, t.Name+"/Read/ReadVariableOp")
				types = types.number(listTypes, uint64(t.Type))
				assigned = append(assigned, "^"+g.add(on, fmt.Sprintf("%s_%d", at("AssignVariableOp"), len(assigned)), "AssignVariableOp",
					[]string{t.Name, fmt.Sprintf("%s:%d", at("RestoreV2"), len(assigned))}, typed("dtype", t.Type)))
			}
		}
		dtypes := attr{"dtypes", message{}.bytes(attrList, types)}
		file := g.add(on, at("ShardedFilename"), "ShardedFilename", []string{parts, g.int32(on, at("shard"), shard), count})
		keys := []string{g.texts(on, at("tensor_names"), false, names...), g.texts(on, at("shape_and_slices"), false, slices...)}
		files = append(files, file)
		saved = append(saved, "^"+g.add(on, at("SaveV2"), "SaveV2", append(append([]string{file}, keys...), reads...), dtypes))
		g.add(on, at("RestoreV2"), "RestoreV2", append([]string{prefix}, keys...), dtypes)
		restored = append(restored, "^"+g.add(on, at("restore_shard"), "NoOp", assigned))
	}
	prefixes := g.add("", "save/MergeV2Checkpoints/checkpoint_prefixes", "Pack", append(files, saved...), counted(shards), typed("T", stringType))
	merge := g.add("", "save/MergeV2Checkpoints", "MergeV2Checkpoints", []string{prefixes, prefix}, attr{"delete_old_dirs", message{}.number(attrBool, 1)})
	g.add("", "save/Identity", "Identity", []string{prefix, "^" + merge}, typed("T", stringType))
	g.add("", "save/restore_all", "NoOp", restored)
}
