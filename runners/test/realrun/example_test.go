package realrun_test

import (
	"context"
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/test/realrun"
)

// A process on the wall clock serves gRPC on a real port and calls itself. It uses the same
// interfaces as code in virtual time.
func Example() {
	w := walltime.New(walltime.Config{Seed: 1})
	defer w.Close()
	p := w.NewProcess("host", "program")
	p.Go("main", func() {
		net := realrun.NewNetwork(p, realrun.Options{})
		server, err := net.Serve(0, 1, func(method string, request []byte) ([]byte, error) {
			return append([]byte("hello "), request...), nil
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		defer server.Stop()
		channel := net.Dial(fmt.Sprintf("127.0.0.1:%d", server.Port()))
		defer channel.Close()
		answer, err := channel.Call("/greeter/Hello", []byte("world"), 10*time.Second)
		fmt.Printf("%s %v\n", answer, err)
	})
	fmt.Println(w.Wait(context.Background()))

	// Output:
	// hello world <nil>
	// <nil>
}
