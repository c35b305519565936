package loopback

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// guard is a process that outlives this one by a moment and kills the process groups that
// it knows. The kernel kills this program's children with it, but not their children.
type guard struct {
	disks *disks
	mu    sync.Mutex
	cmd   *exec.Cmd
	tells io.WriteCloser
	alive map[int]bool
}

// guardScript reads numbers of process groups, one a line; a line with a sign removes a
// group that has ended. At the end of its input it kills the groups that are left.
const guardScript = `trap '' INT TERM HUP
alive=' '
while read -r what group; do
  case $what in
  begin) alive="$alive$group " ;;
  end) alive="${alive%% $group *} ${alive#* $group }" ;;
  esac
done
for group in $alive; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0
`

func newGuard(d *disks) (*guard, error) {
	g := &guard{disks: d, cmd: exec.Command("/bin/sh", "-c", guardScript), alive: map[int]bool{}}
	lead(g.cmd)
	stayAlive(g.cmd)
	tells, err := g.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	g.tells = tells
	if err := g.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a guard of processes: %w", err)
	}
	return g, nil
}

func (g *guard) add(group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.alive[group] = true
	fmt.Fprintln(g.tells, "begin", group)
}

// end kills a group and removes it from the guard.
func (g *guard) end(group int) {
	killGroup(group)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.alive, group)
	fmt.Fprintln(g.tells, "end", group)
}

// close ends the guard, which kills the groups that are left.
func (g *guard) close() {
	g.mu.Lock()
	for group := range g.alive {
		killGroup(group)
	}
	g.alive = map[int]bool{}
	g.mu.Unlock()
	g.tells.Close()
	_ = g.cmd.Wait() // its exit status means nothing
}
