package zookeepertest

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
)

var znodeCases = []testCase{
	{"a client reads its own writes", func(r *trial) {
		r.program("a", long, func(c *client) {
			path, err := c.Create(r.path("a/b/c"), []byte("x"), env.CreateOptions{MakePath: true})
			r.note("created %s: %v", path, err)
			data, stat, err := c.Get(path)
			r.note("%q, version %d, %d bytes: %v", data, stat.Version, stat.DataLengthBytes, err)
			r.note("set: %v", c.Set(path, []byte("yy"), 0))
			data, stat, err = c.Get(path)
			r.note("%q, version %d, %d bytes: %v", data, stat.Version, stat.DataLengthBytes, err)
			names, err := c.Children(r.path("a"))
			r.note("children %q: %v", names, err)
			r.note("delete: %v", c.Delete(path, env.DeleteOptions{Version: 1}))
			found, err := c.Exists(path)
			r.note("exists %v: %v", found != nil, err)
		})
		r.want("created R/a/b/c: <nil>", `"x", version 0, 1 bytes: <nil>`, "set: <nil>",
			`"yy", version 1, 2 bytes: <nil>`, `children ["b"]: <nil>`, "delete: <nil>", "exists false: <nil>")
	}},

	{"each of some children is read in order", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", "1")
			c.create("y", "2")
			round := func() {
				found, err := recipes.GetEach(c.ZooKeeper, r.path(""), []string{"x", "y", "z"}, func(child string, data []byte, err error) (string, error) {
					return child + string(data), err
				})
				r.note("%v: %v", found, err)
			}
			round()
			c.create("z", "3")
			c.must(c.Set(r.path("x"), []byte("4"), -1))
			round()
			round()
			c.must(c.Delete(r.path("y"), env.AnyVersion))
			round()
		})
		r.want("[]: NoNodeError: R/z", "[x4 y2 z3]: <nil>", "[x4 y2 z3]: <nil>", "[]: NoNodeError: R/y")
	}},

	{"errors have kazoo's names", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("full", "")
			c.create("full/child", "")
			c.ephemeral("e")
			create := func(name string) error {
				_, err := c.Create(r.path(name), nil, env.CreateOptions{})
				return err
			}
			r.note("create again: %v", create("full"))
			r.note("create below nothing: %v", create("none/x"))
			r.note("create below an ephemeral: %v", create("e/x"))
			r.note("create at a relative path: %v", create("full/../x"))
			_, _, err := c.Get(r.path("none"))
			r.note("get: %v", err)
			r.note("set: %v", c.Set(r.path("none"), nil, -1))
			_, err = c.Children(r.path("none"))
			r.note("children: %v", err)
			r.note("delete: %v", c.Delete(r.path("none"), env.AnyVersion))
			r.note("set another version: %v", c.Set(r.path("full"), nil, 7))
			r.note("delete another version: %v", c.Delete(r.path("full/child"), env.DeleteOptions{Version: 7}))
			r.note("delete what is not empty: %v", c.Delete(r.path("full"), env.AnyVersion))
		})
		r.want("create again: NodeExistsError: R/full",
			"create below nothing: NoNodeError: R/none/x",
			"create below an ephemeral: NoChildrenForEphemeralsError: R/e/x",
			"create at a relative path: BadArgumentsError: R/full/../x",
			"get: NoNodeError: R/none", "set: NoNodeError: R/none", "children: NoNodeError: R/none",
			"delete: NoNodeError: R/none",
			"set another version: BadVersionError: R/full",
			"delete another version: BadVersionError: R/full/child",
			"delete what is not empty: NotEmptyError: R/full")
	}},

	{"a stat tells what was done", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("d", "abc")
			c.create("d/x", "")
			c.create("d/y", "")
			c.delete("d/x")
			c.set("d", "abcd")
			stat, err := c.Exists(r.path("d"))
			c.must(err)
			r.note("version %d, cversion %d, %d children, %d bytes, owner %d", stat.Version, stat.Cversion,
				stat.NumChildren, stat.DataLengthBytes, stat.EphemeralOwner)
			r.note("changed after it was created: %v, its children before that: %v",
				stat.Mzxid > stat.Czxid, stat.Pzxid < stat.Mzxid && stat.Pzxid > stat.Czxid)
			c.ephemeral("e")
			stat, err = c.Exists(r.path("e"))
			c.must(err)
			r.note("an ephemeral has an owner: %v", stat.EphemeralOwner != 0)
		})
		r.want("version 1, cversion 3, 1 children, 4 bytes, owner 0",
			"changed after it was created: true, its children before that: true",
			"an ephemeral has an owner: true")
	}},

	{"no data is not empty data", func(r *trial) {
		r.program("a", long, func(c *client) {
			for _, data := range [][]byte{nil, {}} {
				path := r.path("x")
				_, err := c.Create(path, data, env.CreateOptions{})
				c.must(err)
				got, stat, err := c.Get(path)
				r.note("nil %v, %d bytes: %v", got == nil, stat.DataLengthBytes, err)
				c.delete("x")
			}
		})
		r.want("nil true, 0 bytes: <nil>", "nil false, 0 bytes: <nil>")
	}},

	{"sequence numbers count all children", func(r *trial) {
		r.program("a", long, func(c *client) {
			for _, name := range []string{"s/n-", "s/plain", "s/n-", "s/", "s/n-"} {
				o := env.CreateOptions{Sequence: name != "s/plain", MakePath: true}
				path, err := c.Create(r.path(name), nil, o)
				r.note("%s: %v", path, err)
			}
			path, err := c.Create(r.path("s/e-"), nil, env.CreateOptions{Sequence: true, Ephemeral: true})
			stat, _ := c.Exists(path)
			r.note("%s: %v, owned %v", path, err, stat != nil && stat.EphemeralOwner != 0)
		})
		r.want("R/s/n-0000000000: <nil>", "R/s/plain: <nil>", "R/s/n-0000000002: <nil>",
			"R/s/0000000003: <nil>", "R/s/n-0000000004: <nil>", "R/s/e-0000000005: <nil>, owned true")
	}},

	{"a path is ensured once", func(r *trial) {
		r.program("a", long, func(c *client) {
			for range 2 {
				r.note("%v", c.EnsurePath(r.path("a/b/c")))
			}
			data, stat, err := c.Get(r.path("a/b"))
			r.note("%q, cversion %d: %v", data, stat.Cversion, err)
		})
		r.want("<nil>", "<nil>", `"", cversion 1: <nil>`)
	}},

	{"a subtree is deleted", func(r *trial) {
		r.program("a", long, func(c *client) {
			for _, name := range []string{"t/a/b", "t/a/c", "t/d"} {
				c.must(c.EnsurePath(r.path(name)))
			}
			whole := env.DeleteOptions{Recursive: true}
			r.note("%v, there %v", c.Delete(r.path("t"), whole), c.there("t"))
			r.note("again: %v", c.Delete(r.path("t"), whole))
		})
		r.want("<nil>, there false", "again: <nil>")
	}},

	{"slashes are folded", func(r *trial) {
		r.program("a", long, func(c *client) {
			path, err := c.Create(r.path("/x/"), []byte("1"), env.CreateOptions{})
			r.note("%s: %v", path, err)
			data, _, err := c.Get(r.root + "///x//")
			r.note("%q: %v", data, err)
		})
		r.want("R/x: <nil>", `"1": <nil>`)
	}},

	{"large data passes", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", strings.Repeat("x", 500_000))
			data, _, err := c.Get(r.path("x"))
			r.note("%d bytes: %v", len(data), err)
		})
		r.want("500000 bytes: <nil>")
	}},

	// ZK-1.6: the server closes the connection if a frame is larger than 0xfffff bytes.
	{"a request that is too large costs the connection", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", "")
			// A setData frame is 20 bytes longer than its path and data.
			largest := 0xfffff - 20 - len(r.path("x"))
			for _, size := range []int{largest, largest + 1, 2 << 20} {
				r.note("%v", c.Set(r.path("x"), make([]byte, size), -1))
			}
			// A create frame is 27 bytes longer because of the open ACL and its flags.
			path := r.path("yy")
			for _, size := range []int{largest - 28 + 1, largest - 28} {
				_, err := c.Create(path, make([]byte, size), env.CreateOptions{})
				r.note("%v", err)
			}
			stat, err := c.Exists(r.path("x"))
			c.must(err)
			r.note("version %d, %d bytes fewer than the largest", stat.Version, largest-int(stat.DataLengthBytes))
		})
		r.want("<nil>", "ConnectionLoss: R/x", "ConnectionLoss: R/x", "ConnectionLoss: R/yy", "<nil>",
			"version 1, 0 bytes fewer than the largest")
	}},

	{"calls of several tasks are answered each", func(r *trial) {
		r.program("a", long, func(c *client) {
			names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
			var tasks []env.Task
			for _, name := range names {
				c.create(name, name)
				tasks = append(tasks, c.Go("reader", func() {
					for range 20 {
						data, _, err := c.Get(r.path(name))
						if err != nil || string(data) != name {
							r.note("%s: %q, %v", name, data, err)
						}
					}
				}))
			}
			for _, task := range tasks {
				task.Join()
			}
			r.note("done")
		})
		r.want("done")
	}},

	{"writes are applied in the order of the calls", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("d", "")
			var tasks []env.Task
			var made []string
			for range 30 {
				tasks = append(tasks, c.Go("writer", func() {
					i := len(made)
					made = append(made, "")
					path, err := c.Create(r.path("d/n"), nil, env.CreateOptions{Sequence: true})
					c.must(err)
					made[i] = path
				}))
			}
			for _, task := range tasks {
				task.Join()
			}
			for i := 1; i < len(made); i++ {
				if made[i-1] >= made[i] {
					r.note("%s came before %s", made[i], made[i-1])
				}
			}
			r.note("%d made", len(made))
		})
		r.want("30 made")
	}},
}
