package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/tensorbundle"
	"github.com/monosim/monosim/engine/training/checkpoints"
	"github.com/monosim/monosim/engine/training/saveutils"
	"github.com/monosim/monosim/engine/training/session"
)

// tensors writes and reads checkpoints, in files with the names that a sharded saver uses. In a
// simulation the index is the step and nothing else.
type tensors struct{ p *process }

// Write takes as long as a save does, in one call that reaches all PS. It writes the files of each PS
// before the index.
func (t *tensors) Write(s session.Session, prefix string) error {
	took, hazards, shards := t.p.Spec.SaveTime, t.p.Hazards, t.p.Spec.PS
	if hazards.SaveTime > 0 {
		took = hazards.SaveTime
	}
	reads := []session.Op{session.Read(session.GlobalStep())}
	for _, device := range t.Devices() {
		reads = append(reads, session.Read(&session.Variable{Name: "embedding", Device: device, First: int64(0)}))
	}
	values, err := session.RunFor(s, func() { t.p.e.Tasks.Sleep(took) }, reads...)
	if err != nil {
		return err
	}
	step, _ := values[0].(int64)
	if hazards.SaveErrors > 0 {
		hazards.SaveErrors--
		return session.Raise("InternalError", "%s: the write was not confirmed", prefix)
	}
	index, data := strconv.AppendInt(nil, step, 10), make([][]byte, shards)
	if t.p.readable {
		index, data = tensorbundle.Write(tensorsOf(step, shards), shards)
	}
	for i := range shards {
		if err := t.write(checkpoints.DataFile(prefix, i, shards), data[i]); err != nil {
			return err
		}
	}
	return t.write(prefix+checkpoints.IndexSuffix, index)
}

// tensorsOf returns the global step, and the embedding of each PS, to which each step has added 1.
func tensorsOf(step int64, shards int) []tensorbundle.Tensor {
	list := []tensorbundle.Tensor{tensorbundle.Int64Scalar(stepTensor, step)}
	for i := range shards {
		list = append(list, tensorbundle.Float32s(fmt.Sprintf("embedding_%d", i), i, float32(step)))
	}
	return list
}

// stepTensor is the name of the global step in checkpoints.
const stepTensor = "global_step"

// Devices returns the devices of the PS.
func (t *tensors) Devices() []string {
	list := make([]string, t.p.Spec.PS)
	for i := range list {
		list[i] = saveutils.PSDevice(i)
	}
	return list
}

// Restore sets the global step to that of a checkpoint. The global step is on the first PS.
func (t *tensors) Restore(s session.Session, prefix string, devices []string) error {
	if len(devices) == 0 {
		return nil
	}
	if !slices.Contains(devices, saveutils.PSDevice(0)) {
		t.p.Happened("restored", prefix, strings.Join(devices, ", "))
		return nil
	}
	step, err := t.GlobalStep(prefix)
	if err != nil {
		return err
	}
	t.p.Happened("restored", prefix, fmt.Sprintf("step %d", step))
	return session.Do(s, session.Assign(session.GlobalStep(), step))
}

// GlobalStep returns the step from a checkpoint's name.
func (t *tensors) GlobalStep(prefix string) (int64, error) { return helper.GlobalStep(prefix) }

// WriteMetaGraph writes the graph that saves and restores the tensors. In a simulation it is empty.
func (t *tensors) WriteMetaGraph(path string) error {
	if !t.p.readable {
		return t.write(path, nil)
	}
	return t.write(path, tensorbundle.MetaGraph(tensorsOf(0, t.p.Spec.PS), t.p.Spec.PS))
}

func (t *tensors) write(path string, data []byte) error {
	return session.FileError(path, t.p.e.Files.WriteFile(path, data))
}

// places simulates a worker's input iterators. Their position is a number of steps.
type places struct {
	e    *env.Env
	step *int64
	// readable says that TensorFlow can read the files.
	readable bool
}

// placeTensor is the name of the position in checkpoints.
const placeTensor = "iterator_position"

// Write writes the position.
func (i *places) Write(_ session.Session, prefix string) error {
	index := strconv.AppendInt(nil, *i.step, 10)
	if i.readable {
		var data [][]byte
		index, data = tensorbundle.Write([]tensorbundle.Tensor{tensorbundle.Int64Scalar(placeTensor, *i.step)}, 1)
		path := checkpoints.DataFile(prefix, 0, 1)
		if err := i.e.Files.WriteFile(path, data[0]); err != nil {
			return session.FileError(path, err)
		}
	}
	path := prefix + checkpoints.IndexSuffix
	return session.FileError(path, i.e.Files.WriteFile(path, index))
}

// WriteMetaGraph writes nothing, because positions are saved without a graph (ckpt_hooks.py:172).
func (i *places) WriteMetaGraph(string) error { return nil }

// Restore reads the position.
func (i *places) Restore(_ session.Session, prefix string) error {
	step, err := checkpoints.Int64(i.e.Files, prefix, placeTensor)
	if err == nil {
		*i.step = step
	}
	return err
}
