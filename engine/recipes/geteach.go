package recipes

import (
	"reflect"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

// GetEach reads the data of children of a znode one after the other, as a loop of zk.Get does. For
// each child it returns what the function value makes of the data, or of the error. If value
// returns an error, GetEach ends and returns that error. The caller must not change children
// afterwards. value must depend only on its arguments, and have no effect except for log lines
// about errors and empty data: it may be called early, twice, or for data that is not needed after
// all.
func GetEach[T any](zk env.ZooKeeper, parent string, children []string, value func(child string, data []byte, err error) (T, error)) ([]T, error) {
	values := make([]T, 0, len(children))
	if len(children) == 0 {
		return values, nil
	}
	taker := &eachTaker{take: func(i int, data []byte, err error) error {
		v, err := value(children[i], data, err)
		if err == nil {
			values = append(values, v)
		}
		return err
	}, usual: func(i int, data []byte) bool {
		_, err := value(children[i], data, nil)
		return err == nil
	}}
	blocks := []*bulk.Children{{Names: children, Kind: kindOf(value)}}
	if err := getEach(zk, parent, blocks, canonicalAll(children), taker); err != nil {
		return nil, err
	}
	return values, nil
}

// kindOf identifies a function by its place in the code.
func kindOf(fn any) uintptr { return reflect.ValueOf(fn).Pointer() }

// eachTaker is a bulk.Taker for a list with a single block.
type eachTaker struct {
	take  func(i int, data []byte, err error) error
	usual func(i int, data []byte) bool
}

func (t *eachTaker) Take(_, i int, data []byte, err error) error { return t.take(i, data, err) }

func (t *eachTaker) Usual(_, i int, data []byte) bool { return t.usual(i, data) }

func (t *eachTaker) TakeUsual(_, from, to int, data [][]byte) {
	for i := from; i < to; i++ {
		if err := t.take(i, data[i], nil); err != nil {
			panic("recipes: what was usual is an error: " + err.Error())
		}
	}
}

// getEach reads the data of children. sent says that all their names are in the canonical form in
// which kazoo sends them. If they are, and the parent's path is canonical, too, then the session
// makes the reads, provided that it supports this.
func getEach(zk env.ZooKeeper, parent string, blocks []*bulk.Children, sent bool, to bulk.Taker) error {
	prefix := bulk.PrefixOf(parent)
	if c, ok := zk.(*Client); ok && sent && canonical(prefix+"x") {
		if session, ok := c.session.(bulk.EachGetter); ok {
			return session.GetEach(prefix[:len(prefix)-1], blocks, to)
		}
	}
	for k, b := range blocks {
		for i, child := range b.Names {
			data, _, err := zk.Get(prefix + child)
			if err := to.Take(k, i, data, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// canonicalAll reports whether the paths of children are in the canonical form in which kazoo sends
// them, if the path of their parent is.
func canonicalAll(children []string) bool {
	return !slices.ContainsFunc(children, func(child string) bool {
		return child == "" || child[0] == '.' || child[0] == '/' || child[len(child)-1] == '/' || hasSlashBefore(child)
	})
}
