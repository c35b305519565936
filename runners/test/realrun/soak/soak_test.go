package soak

import (
	"net"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/test/simrun"
)

// Goal: the simulated cluster recovers from every kill within a short time.
func TestBounds(t *testing.T) {
	bounds, err := Bounds()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Victims() {
		if b := bounds[v]; b <= 0 || b > 5*time.Minute {
			t.Errorf("%s: got %v, want more than nothing and at most five minutes", v, b)
		}
	}
	t.Log(bounds)
}

// Goal: a missing registration is noticed. Method: delete one in a complete cluster.
func TestALostRegistrationIsNoticed(t *testing.T) {
	c, err := (&simrun.Runner{}).Build(spec(1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := begin(c); err != nil {
		t.Fatal(err)
	}
	if err := whole(c); err != nil {
		t.Errorf("at first: got %v, want it whole", err)
	}
	node, _, err := c.Znode(tasks["ps"])
	if err != nil || len(node.Children) == 0 {
		t.Fatalf("registrations: got %v, %v, want some", node, err)
	}
	if err := c.DeleteZnode(node.Path + "/" + node.Children[0]); err != nil {
		t.Fatal(err)
	}
	if err := whole(c); err == nil {
		t.Error("without a registration: got a whole cluster")
	}
}

// Goal: listening finds listening sockets by their address.
func TestSocketsThatListen(t *testing.T) {
	const prefix = "127.254.253."
	before := listening(prefix)
	l, err := net.Listen("tcp", prefix+"7:0")
	if err != nil {
		t.Skip("only 127.0.0.1 is on this machine's loopback: ", err)
	}
	found := listening(prefix)
	if len(found) != len(before)+1 || !slices.Contains(found, l.Addr().String()) {
		t.Errorf("got %v, want %v and %v", found, before, l.Addr())
	}
	l.Close()
	if left := listening(prefix); len(left) != len(before) {
		t.Errorf("after its end: got %v, want %v", left, before)
	}
}
