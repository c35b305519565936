package recipes

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// lockName is the part of a contender's znode name between its id and its sequence number
// (lock.py:69).
const lockName = "__lock__"

// lock implements kazoo's Lock (lock.py:49). Contenders are ephemeral sequential znodes below one
// path, and each waits for the one before it. Its requests to the server are in ZK-12.2, and those
// of an election of the reference in ZK-16.3.
type lock struct {
	c          *Client
	path       string
	data       []byte
	prefix     string
	node       string
	wake       *threading.Event
	acquiring  *threading.Lock
	createdOne bool
	acquired   bool
	ensured    bool
	cancelled  bool
}

// NewLock makes a contender for the lock at path. Other contenders see the identifier in
// Contenders.
func (c *Client) NewLock(path, identifier string) env.Lock { return c.newLock(path, identifier) }

func (c *Client) newLock(path, identifier string) *lock {
	return &lock{
		c: c, path: path, data: []byte(identifier),
		// By its random id a contender finds its own znode again, even if the answer to its create
		// is lost.
		prefix:    c.uuid() + lockName,
		wake:      threading.NewEvent(c.e.Tasks, "lock "+path),
		acquiring: threading.NewLock(c.e.Tasks, "acquire of lock "+path),
	}
}

// uuid draws 32 hexadecimal digits.
func (c *Client) uuid() string {
	var b strings.Builder
	for range 4 {
		fmt.Fprintf(&b, "%08x", c.e.Random.Intn("kazoo.uuid", 1<<32))
	}
	return b.String()
}

// Cancel makes a waiting Acquire fail with ErrCancelled.
func (l *lock) Cancel() {
	l.cancelled = true
	l.wake.Set()
}

// Acquire waits until it holds the lock, for timeout at most (lock.py:163).
func (l *lock) Acquire(timeout time.Duration) (bool, error) {
	l.acquiring.Lock()
	defer l.acquiring.Unlock()
	already := l.acquired
	policy := RecipeRetry()
	policy.Deadline = timeout
	gotten := false
	err := policy.Run(l.c.e, func() error {
		var err error
		gotten, err = l.tryAcquire(timeout)
		return err
	})
	switch {
	case errors.Is(err, zkerrors.ErrRetryFailed):
		err = nil
	case err != nil:
		if !already {
			l.cleanUp()
			l.cancelled = false
		}
		return false, err
	}
	if gotten {
		l.acquired = true
	} else if !already {
		l.cleanUp()
	}
	return gotten, nil
}

func (l *lock) tryAcquire(timeout time.Duration) (bool, error) {
	if l.acquired {
		return false, zkerrors.ErrForceRetry // the lock is not re-entrant: wait until it is released
	}
	if err := l.ensurePath(); err != nil {
		return false, err
	}
	node, err := l.ownNode()
	if err != nil {
		return false, err
	}
	l.node = node
	for {
		l.wake.Clear()
		if l.cancelled {
			return false, zkerrors.ErrCancelled
		}
		predecessor, err := l.predecessor(node)
		if err != nil {
			return false, err
		}
		if predecessor == "" {
			return true, nil
		}
		if err := l.await(l.path+"/"+predecessor, timeout); err != nil {
			return false, err
		}
	}
}

func (l *lock) ensurePath() error {
	if l.ensured {
		return nil
	}
	if err := l.c.EnsurePath(l.path); err != nil {
		return err
	}
	l.ensured = true
	return nil
}

// ownNode finds the znode of an earlier attempt, or creates one. The name is the part of the
// returned path after the lock's path. If the lock's path ends with a slash, kazoo cuts off one
// character too many. Then the contender does not find its own name among the children, and has to
// retry (ZK-16.1).
func (l *lock) ownNode() (string, error) {
	if l.createdOne {
		if node, err := l.findNode(); err != nil || node != "" {
			return node, err
		}
	}
	l.createdOne = true
	real, err := l.c.Create(l.path+"/"+l.prefix, l.data, env.CreateOptions{Ephemeral: true, Sequence: true})
	if err != nil {
		return "", err
	}
	return real[min(len(l.path)+1, len(real)):], nil
}

func (l *lock) findNode() (string, error) {
	children, err := l.c.Children(l.path)
	if err != nil {
		return "", err
	}
	for _, child := range children {
		if strings.HasPrefix(child, l.prefix) {
			return child, nil
		}
	}
	return "", nil
}

// predecessor returns the contender right before node, "" if there is none. A contender that is not
// among the children has lost its znode with its session.
func (l *lock) predecessor(node string) (string, error) {
	children, err := l.c.Children(l.path)
	if err != nil {
		return "", err
	}
	if !slices.Contains(children, node) {
		return "", zkerrors.ErrForceRetry
	}
	before := ""
	for _, contender := range contenders(children) {
		if contender == node {
			break
		}
		before = contender
	}
	return before, nil
}

// contenders returns those children that are znodes of contenders, sorted by sequence number.
func contenders(children []string) []string {
	var list []string
	for _, child := range children {
		if _, ok := sequenceOf(child); ok {
			list = append(list, child)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int {
		sa, _ := sequenceOf(a)
		sb, _ := sequenceOf(b)
		return strings.Compare(sa, sb)
	})
	return list
}

// sequenceOf matches (?:__lock__)(-?\d{10})$ (lock.py:107).
func sequenceOf(child string) (string, bool) {
	i := strings.LastIndex(child, lockName)
	if i < 0 {
		return "", false
	}
	sequence := child[i+len(lockName):]
	digits := strings.TrimPrefix(sequence, "-")
	if len(digits) != 10 || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	return sequence, true
}

// await waits until the znode of the predecessor changes, or until the state of the session
// changes.
func (l *lock) await(predecessor string, timeout time.Duration) error {
	listener := l.c.addListener(func(env.SessionState) bool {
		l.wake.Set()
		return true
	})
	defer l.c.removeListener(listener)
	_, _, err := l.c.get(predecessor, &lockWatcher{l})
	if errors.Is(err, zkerrors.ErrNoNode) {
		return nil // already gone
	}
	if err != nil {
		return err
	}
	if !l.wake.Wait(timeout) {
		return &zkerrors.Error{Code: zkerrors.LockTimeout, Path: l.path}
	}
	return nil
}

type lockWatcher struct{ l *lock }

func (w *lockWatcher) Notify(env.WatchEvent) { w.l.wake.Set() }

// cleanUp tries to remove the contender's own znode, and ignores errors (lock.py:342).
func (l *lock) cleanUp() {
	node := l.node
	if node == "" {
		found, err := l.findNode()
		if err != nil || found == "" {
			return
		}
		node = found
	}
	l.c.logged(l.path, l.c.Delete(l.path+"/"+node, env.AnyVersion))
}

// Release gives up the lock. It does nothing if the lock is not held.
func (l *lock) Release() error {
	return l.c.Retry(func() error {
		if !l.acquired {
			return nil
		}
		err := l.c.Delete(l.path+"/"+l.node, env.AnyVersion)
		if err != nil && !errors.Is(err, zkerrors.ErrNoNode) {
			return err
		}
		l.acquired, l.node = false, ""
		return nil
	})
}

// Contenders lists the identifiers of the contenders. The holder of the lock comes first.
func (l *lock) Contenders() ([]string, error) {
	if err := l.ensurePath(); err != nil {
		return nil, err
	}
	children, err := l.c.Children(l.path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, node := range contenders(children) {
		data, _, err := l.c.Get(l.path + "/" + node)
		if errors.Is(err, zkerrors.ErrNoNode) {
			continue
		}
		if err != nil {
			return nil, err
		}
		names = append(names, string(data))
	}
	return names, nil
}

var _ env.Lock = (*lock)(nil)
