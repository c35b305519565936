package jsonmodel_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/runners/serve/jsonmodel"
)

// This exports and serves a model with one parameter.
func Example() {
	dir, err := os.MkdirTemp("", "export")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	o := jsonmodel.Defaults()
	o.CheckpointPath, o.OutputPath = filepath.Join(dir, "checkpoint-3.json"), filepath.Join(dir, "out")
	text := `{"version": 1, "global_step": 3, "timestamp": 0, "hash_tables": [], "optimizers": [], "dense_params": {"w": [1]}, "metadata": {}}`
	if err := os.WriteFile(o.CheckpointPath, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	done, err := jsonmodel.Export(context.Background(), o, func(text string) { fmt.Println(text) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(done.GlobalStep, done.Tables, done.DenseParams)
	params, err := os.ReadFile(filepath.Join(o.OutputPath, "dense", "params.json"))
	fmt.Println(string(params), err)
	// Output:
	// 3 0 1
	// {
	//   "w": [
	//     1.0
	//   ]
	// } <nil>
}
