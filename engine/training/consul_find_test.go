package training

import (
	"testing"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/quirks"
	"github.com/monosim/monosim/engine/quirks/jobquirks"
)

// socketFiles is a fake file system with one file, the agent's socket.
type socketFiles struct {
	env.Files
	info env.FileInfo
}

func (f socketFiles) Stat(name string) (env.FileInfo, error) {
	if name != consulSocket {
		return env.FileInfo{}, env.NotExist("stat", name)
	}
	return f.info, nil
}

// A socket is not a regular file, but the reference checks for one (os.path.isfile).
func TestQ304_TheAgentsSocketIsFoundOnlyWhenRepaired(t *testing.T) {
	for _, c := range []struct {
		name   string
		info   env.FileInfo
		quirks quirks.Set
		want   string
	}{
		{"a socket", env.FileInfo{Socket: true}, quirks.Python, consulHost},
		{"a socket, repaired", env.FileInfo{Socket: true}, quirks.Python.Repair(jobquirks.Q304), consulSocket},
		{"a file", env.FileInfo{}, quirks.Python, consulSocket},
		{"a directory, repaired", env.FileInfo{Dir: true}, quirks.Python.Repair(jobquirks.Q304), consulHost},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, _ := newHeldEnv()
			e.Files = socketFiles{info: c.info}
			addr, err := FindConsul(e, c.quirks)
			if err != nil || addr.Host != c.want {
				t.Errorf("got %v %v, want %s", addr, err, c.want)
			}
		})
	}
}
