package tfserving_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// A model server on a simulated host loads the newest version of a model. At its next poll it finds
// a newer version, and unloads the old one when the new one serves.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	host := network.New(w, network.DefaultLatency()).AddHost("serving", "serving", "10.0.0.1")
	fs := files.NewFS(w)
	export := func(version int64) {
		if err := fs.AddModelVersion("/models/ranker", version, 30e6); err != nil {
			fmt.Println(err)
		}
	}
	export(1)

	options := tfserving.DefaultOptions(tfserving.Profile24)
	options.ModelName, options.ModelBasePath = "ranker", "/models/ranker"
	node := node.Start(node.Config{
		Options: options, Proc: host.Node().NewProcess("tensorflow_model_server"), Host: host, Files: fs, Dir: "/",
		Exit:    func(code int, stdout string) { fmt.Println("ended with", code, stdout) },
		OnEvent: func(e tfserving.Event) { fmt.Println(e.At.Round(time.Millisecond), e.Model, e.Version, e.State) },
	})
	w.Run(vtime.Limits{Until: 10 * time.Second})
	export(2)
	w.Run(vtime.Limits{Until: 20 * time.Second})

	status, err := node.Server().Status(env.ModelSpec{Name: "ranker"})
	fmt.Println(status, err)

	// Output:
	// 100ms ranker 1 START
	// 100ms ranker 1 LOADING
	// 230ms ranker 1 AVAILABLE
	// 11.1s ranker 2 START
	// 11.1s ranker 2 LOADING
	// 11.23s ranker 2 AVAILABLE
	// 11.23s ranker 1 UNLOADING
	// 11.255s ranker 1 END
	// [2 AVAILABLE 1 END] <nil>
}
