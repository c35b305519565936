package tensorbundle_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/monosim/monosim/engine/tensorbundle"
)

// Goal: files have the bytes that TensorFlow 2.4.4 writes for the same tensors. Method: testdata has
// what its Saver wrote for the tensors that recorded lists.

func int64s(v int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v)) }

func floats(v float32, n int) (data []byte) {
	for range n {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// recorded returns the tensors of testdata.
func recorded() []tensorbundle.Tensor {
	list := []tensorbundle.Tensor{
		{Name: "global_step", Type: tensorbundle.Int64, Data: int64s(304)},
		{Name: "embedding_0", Type: tensorbundle.Float32, Shape: []int64{1}, Data: floats(304, 1)},
		{Name: "embedding_1", Type: tensorbundle.Float32, Shape: []int64{1}, Data: floats(304, 1)},
	}
	for i := range 40 {
		n := i%5 + 1
		list = append(list, tensorbundle.Tensor{Name: fmt.Sprintf("layer_%04d/kernel", i), Type: tensorbundle.Float32, Shape: []int64{int64(n)}, Data: floats(float32(i), n)})
	}
	return list
}

func TestFilesAreThoseOfTensorFlow(t *testing.T) {
	index, data := tensorbundle.Write(recorded(), 1)
	for _, c := range []struct {
		file string
		got  []byte
	}{{"one.index", index}, {"one.data-00000-of-00001", data[0]}} {
		want, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.got, want) {
			t.Errorf("%s: got %d bytes\n%x\nwant %d\n%x", c.file, len(c.got), c.got, len(want), want)
		}
	}
}

func TestATensorIsFoundAgain(t *testing.T) {
	list := []tensorbundle.Tensor{{Name: "a", Type: tensorbundle.Float32, Shape: []int64{2}, Shard: 1, Data: floats(1, 2)}, {Name: "step", Type: tensorbundle.Int64, Shard: 1, Data: int64s(7)}}
	for i := range 20_000 { // so many keys fill more than one block
		list = append(list, tensorbundle.Tensor{Name: fmt.Sprintf("shard of embeddings %05d", i), Type: tensorbundle.Float32, Data: floats(0, 1)})
	}
	index, data := tensorbundle.Write(list, 2)
	e, ok, err := tensorbundle.Find(index, "step")
	if want := (tensorbundle.Entry{Type: tensorbundle.Int64, Shard: 1, Offset: 8, Size: 8, CRC: e.CRC}); err != nil || !ok || e != want || len(data[1]) != 16 {
		t.Errorf("got %+v, %t, error %v, want %+v", e, ok, err, want)
	}
	if e, ok, err := tensorbundle.Find(index, "shard of embeddings 19999"); err != nil || !ok || e.Offset != 4*19_999 {
		t.Errorf("got %+v, %t, error %v, want the last of them", e, ok, err)
	}
	if _, ok, err := tensorbundle.Find(index, "steps"); err != nil || ok {
		t.Errorf("got %t, error %v, want none of that name", ok, err)
	}
}

// Goal: a file that is no index is an error, whatever is wrong with it.
func FuzzFind(f *testing.F) {
	index, _ := tensorbundle.Write(recorded(), 1)
	f.Add(index)
	f.Add(index[1:])
	f.Add([]byte("300"))
	f.Add([]byte(strings.Repeat("\xff", 40) + string(index[len(index)-8:])))
	f.Fuzz(func(t *testing.T, file []byte) {
		if e, ok, err := tensorbundle.Find(file, "global_step"); ok && err == nil && bytes.Equal(file, index) && e.Size != 8 {
			t.Errorf("got %+v", e)
		}
	})
}
