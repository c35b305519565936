package steps

import "github.com/monosim/monosim/runners"

func (w *World) writeZnode(path, data string) error {
	return w.cluster.WriteZnode(path, []byte(data))
}

func (w *World) deleteZnode(path string) error { return w.cluster.DeleteZnode(path) }

// znode makes a check of a znode that has to exist.
func (w *World) znode(path string, fn func(n runners.Znode) error) check {
	return func() error {
		n, ok, err := w.cluster.Znode(path)
		if err != nil {
			return err
		}
		if !ok {
			return differ("znode "+path, "one", "none")
		}
		return fn(n)
	}
}

func (w *World) znodeExists(path string) check {
	return w.znode(path, func(runners.Znode) error { return nil })
}

func (w *World) znodeMissing(path string) check {
	return func() error {
		_, ok, err := w.cluster.Znode(path)
		if err != nil {
			return err
		}
		if ok {
			return differ("znode "+path, "none", "one")
		}
		return nil
	}
}

func (w *World) znodeEphemeral(path string) check {
	return w.znode(path, func(n runners.Znode) error {
		if !n.Ephemeral {
			return differ("znode "+path, "ephemeral", "persistent")
		}
		return nil
	})
}

func (w *World) znodeHolds(path, data string) check {
	return w.znode(path, func(n runners.Znode) error {
		if string(n.Data) != data {
			return differ("znode "+path, data, string(n.Data))
		}
		return nil
	})
}

func (w *World) znodeChildren(path string, n int) check {
	return w.znode(path, func(z runners.Znode) error {
		if len(z.Children) != n {
			return differ("children of "+path, n, z.Children)
		}
		return nil
	})
}
