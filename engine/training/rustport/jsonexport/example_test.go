package jsonexport_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env/envtest"
	"github.com/monosim/monosim/engine/training/rustport/jsonexport"
)

// This exports the latest checkpoint of a directory, with its numbers rounded to 8 bits.
func Example() {
	files := envtest.New(map[string]string{
		"ckpt/checkpoint-5.json": "", "ckpt/checkpoint-7.json": checkpoint,
	}, nil).Files
	o := jsonexport.Defaults()
	o.CheckpointPath, o.OutputPath, o.Quantize = "ckpt", "out", true
	report, err := jsonexport.Export(files, time.Unix(1700000000, 0), o, func(text string) { fmt.Println(text) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Checkpoint, report.Tables, report.DenseParams)
	table, err := files.ReadFile("out/embeddings/emb.json")
	fmt.Println(string(table), err)
	// Output:
	// ckpt/checkpoint-7.json 1 2
	// {
	//   "name": "emb",
	//   "dim": 2,
	//   "entries": {
	//     "9": [
	//       0.25,
	//       0.0
	//     ],
	//     "10": [
	//       1.0,
	//       -0.2992126
	//     ]
	//   },
	//   "metadata": {}
	// } <nil>
}
