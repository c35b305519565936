package loopback

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// guard is a helper process that kills all registered process groups when this program dies.
// It is needed because the kernel kills this program's children, but not their children.
type guard struct {
	disks *disks
	mu    sync.Mutex
	cmd   *exec.Cmd
	tells io.WriteCloser
	alive map[int]bool
}

// guardScript reads one line for each process group that begins or ends. At the end of its
// input it kills the groups that have not ended.
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

// end kills a process group and removes it from the guard.
func (g *guard) end(group int) {
	killGroup(group)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.alive, group)
	fmt.Fprintln(g.tells, "end", group)
}

// close kills the remaining process groups and ends the guard.
func (g *guard) close() {
	g.mu.Lock()
	for group := range g.alive {
		killGroup(group)
	}
	g.alive = map[int]bool{}
	g.mu.Unlock()
	g.tells.Close()
	_ = g.cmd.Wait() // the error is not looked at: the exit status means nothing
}
