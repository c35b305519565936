package process_test

import (
	"fmt"
	"net"
	"testing"

	"github.com/monosim/monosim/runners/process"
)

func TestATailIsTheEnd(t *testing.T) {
	tail := process.Tail{Max: 5}
	for _, step := range []struct{ said, want string }{
		{"", ""}, {"abc", "abc"}, {"de", "abcde"}, {"f", "bcdef"}, {"a longer line", " line"},
	} {
		fmt.Fprint(&tail, step.said)
		if got := tail.String(); got != step.want {
			t.Errorf("after %q: got %q, want %q", step.said, got, step.want)
		}
	}
}

func TestFreePortsCanBeTaken(t *testing.T) {
	ports, err := process.FreePorts(3)
	if err != nil || len(ports) != 3 {
		t.Fatalf("got %v, %v, want 3 ports", ports, err)
	}
	for _, port := range ports {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err) // the port has been given out twice
		}
		defer l.Close()
	}
}
