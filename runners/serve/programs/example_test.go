package programs_test

import (
	"fmt"
	"os"

	"github.com/monosim/monosim/runners/serve/programs"
)

// This runs a program as its command line would. Its errors go to standard error.
func ExampleClient() {
	code, err := programs.Client(programs.ClientOptions{
		Name: "client", Called: "client", Args: []string{"--bzid=b", "--model_name=ctr"}, Stdout: os.Stdout, Stderr: os.Stdout,
	})
	fmt.Println(code, err)
	// Output:
	// client: ValueError: zk_servers is None
	// 1 <nil>
}
