package fileops_test

import (
	"fmt"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/fileops"
)

// This example dumps the embeddings of two ids and reads them back.
func Example() {
	files := envtest.New(nil, nil).Files
	f, err := fileops.NewWritableFile(files, "dumps/part-0")
	if err == nil {
		err = f.AppendEntryDump([]int64{1, 2}, []float32{0.1, 0.2}, []float32{10, 11, 20, 21})
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	content, err := files.ReadFile("dumps/part-0")
	if err != nil {
		fmt.Println(err)
		return
	}
	dumps, err := fileops.ReadEntryDumps(content)
	for _, d := range dumps {
		fmt.Println(d.GetId(), d.GetNum())
	}
	fmt.Println(err)
	// Output:
	// 1 [0.1 10 11]
	// 2 [0.2 20 21]
	// <nil>
}
