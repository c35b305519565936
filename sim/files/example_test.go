package files_test

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// A process writes files, then its host crashes. Changes that are older than 30 s or synced
// survive.
func Example() {
	w := vtime.New(vtime.Config{Seed: 1})
	defer w.Close()
	tree := files.NewFS(w)
	if err := tree.WriteTree(map[string]string{"/etc/agent.conf": "bzid demo\n"}); err != nil {
		fmt.Println(err)
	}

	p := w.Node("host").NewProcess("agent")
	view := files.NewView(p, tree, "/etc")
	p.Go("main", func() {
		p.Sleep(time.Minute)
		fmt.Println("write:", view.WriteFile("notes", []byte("young")))
		data, err := view.ReadFile("agent.conf")
		fmt.Printf("agent.conf: %q %v\n", data, err)
	})
	w.Run(vtime.Limits{})

	tree.HostCrash()
	for _, path := range []string{"/etc/agent.conf", "/etc/notes"} {
		data, err := tree.ReadFile(path)
		fmt.Printf("after the crash: %q %v\n", data, err)
	}

	// Output:
	// write: <nil>
	// agent.conf: "bzid demo\n" <nil>
	// after the crash: "bzid demo\n" <nil>
	// after the crash: "" open /etc/notes: file does not exist
}
