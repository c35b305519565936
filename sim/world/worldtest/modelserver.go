package worldtest

import (
	"fmt"

	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// StartModelServer starts a model server as a process of the case's host. It fails the test if
// that process ends by itself.
func (c *Case) StartModelServer(o tfserving.Options) {
	node.Start(node.Config{
		Options: o, Proc: c.Machine.Node.NewProcess(fmt.Sprint("model server ", o.Port)),
		Host: c.Machine.Net, Files: c.Machine.FS, Dir: "/",
		Exit: func(code int, stdout string) {
			c.T.Errorf("the model server at port %d ended with %d: %s", o.Port, code, stdout)
		},
	})
}
