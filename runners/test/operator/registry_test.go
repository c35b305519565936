package operator_test

import (
	"testing"

	"github.com/monosim/monosim/runners/test/operator"
)

func TestRegisteredAddr(t *testing.T) {
	list := []operator.Registration{
		{Port: 1, Tags: []string{"index:0", "name:ps", "ip:10.0.0.1"}, Listed: true},
		{Port: 2, Tags: []string{"index:1", "name:ps", "ip:10.0.0.2"}, Listed: true},
		{Port: 3, Tags: []string{"index:0", "name:ps", "ip:10.0.0.3"}, Listed: true},
		{Port: 4, Tags: []string{"index:0", "name:ps", "ip:10.0.0.4"}},
		{Port: 5, Tags: []string{"index:0", "name:worker"}, Listed: true},
	}
	for _, c := range []struct {
		role  string
		index int
		want  string
	}{
		{"ps", 0, "10.0.0.3:3"}, // the replica that is listed last
		{"ps", 1, "10.0.0.2:2"},
		{"ps", 2, ""},
		{"worker", 0, ""}, // without an address
	} {
		addr, ok := operator.RegisteredAddr(list, c.role, c.index)
		if addr != c.want || ok != (c.want != "") {
			t.Errorf("%s:%d: got %q, %v, want %q", c.role, c.index, addr, ok, c.want)
		}
	}
}
