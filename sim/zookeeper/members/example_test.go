package members_test

import (
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper/members"
)

// A server leaves and an observer joins.
func Example() {
	list := members.New([]members.Server{
		{ID: 1, Host: "a", PeerPort: 2888, ElectionPort: 3888},
		{ID: 2, Host: "b", PeerPort: 2888, ElectionPort: 3888},
		{ID: 3, Host: "c", PeerPort: 2888, ElectionPort: 3888},
	})
	leaving, joining := "3", "server.4=d:2888:3888:observer;2181"
	next, code := list.Changed(&members.Change{Leaving: &leaving, Joining: &joining})
	fmt.Println(code == 0, next.Voters())
	fmt.Println(next)
	// Output:
	// true [1 2]
	// server.1=a:2888:3888:participant
	// server.2=b:2888:3888:participant
	// server.4=d:2888:3888:observer;0.0.0.0:2181
	// version=0
}
