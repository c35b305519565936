package grpcpeers_test

import (
	"fmt"

	"github.com/monosim/monosim/runners/grpcpeers"
)

// This has the first conversation of the list, whose path is not valid.
func ExampleProbe_Ask() {
	server := grpcpeers.Own("")
	defer server.Stop()
	addr, err := grpcpeers.Serve(server)
	if err != nil {
		panic(err)
	}
	first := grpcpeers.Probes()[0]
	answer, err := first.Ask(addr)
	if err != nil {
		panic(err)
	}
	fmt.Println(first.Name)
	for _, line := range answer {
		fmt.Println(line)
	}
	// Output:
	// path "nope"
	// trailers :status=200 | content-type=application/grpc | grpc-message=Method not found! | grpc-status=12
}
