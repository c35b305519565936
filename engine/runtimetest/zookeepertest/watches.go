package zookeepertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
)

// watchData watches the data of a znode. At each call it logs the data and the event's type.
func (c *client) watchData(name string) env.Watch {
	w, err := c.DataWatch(c.r.path(name), func(data []byte, stat *env.Stat, e *env.WatchEvent) error {
		line := fmt.Sprintf("%s %q", name, data)
		if stat == nil {
			line = name + " missing"
		}
		if e != nil {
			line += " " + e.Type.String() + " " + e.Path
		}
		c.r.note("%s", line)
		if string(data) == "enough" {
			return env.ErrStopWatching
		}
		return nil
	})
	c.must(err)
	return w
}

// watchChildren watches the children of a znode and logs them at each call.
func (c *client) watchChildren(name string) env.Watch {
	w, err := c.ChildrenWatch(c.r.path(name), func(children []string) error {
		children = slices.Clone(children)
		slices.Sort(children) // sorted, because the server lists them in an order of its own (ZK-5.8)
		c.r.note("%s has %s", name, strings.Join(children, " "))
		if slices.Contains(children, "enough") {
			return env.ErrStopWatching
		}
		return nil
	})
	c.must(err)
	return w
}

var watchCases = []testCase{
	{"a data watch tells of each change", func(r *trial) {
		r.program("a", long, func(c *client) {
			w := c.watchData("x")
			c.create("x", "1")
			c.awaitLines(2)
			c.set("x", "2")
			c.awaitLines(3)
			c.delete("x")
			c.awaitLines(4)
			c.create("x", "enough")
			c.awaitLines(5)
			c.await(w.Stopped)
			c.set("x", "3")
			c.there("x")
		})
		r.want("x missing", `x "1" CREATED R/x`, `x "2" CHANGED R/x`, "x missing DELETED R/x",
			`x "enough" CREATED R/x`)
	}},

	{"a data watch is told again of data that was set again", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", "1")
			c.watchData("x")
			c.set("x", "1")
			c.awaitLines(2)
		})
		r.want(`x "1"`, `x "1" CHANGED R/x`)
	}},

	{"a data watch whose function fails goes on", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", "0")
			_, err := c.DataWatch(r.path("x"), func(data []byte, _ *env.Stat, e *env.WatchEvent) error {
				r.note("%s", data)
				if e != nil {
					return fmt.Errorf("cannot bear %s", data)
				}
				return nil
			})
			c.must(err)
			for i := range 2 {
				c.set("x", fmt.Sprint(i+1))
				c.awaitLines(i + 2)
			}
			_, err = c.DataWatch(r.path("x"), func([]byte, *env.Stat, *env.WatchEvent) error {
				return fmt.Errorf("cannot begin")
			})
			r.note("%v", err)
		})
		r.want("0", "1", "2", "cannot begin")
	}},

	{"a children watch tells of each change", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("d", "")
			w := c.watchChildren("d")
			c.create("d/a", "")
			c.awaitLines(2)
			c.set("d/a", "no change of children")
			c.set("d", "nor this")
			c.create("d/b", "")
			c.awaitLines(3)
			c.delete("d/a")
			c.awaitLines(4)
			c.create("d/enough", "")
			c.await(w.Stopped)
			c.create("d/more", "")
			c.there("d")
		})
		r.want("d has ", "d has a", "d has a b", "d has b", "d has b enough")
	}},

	{"a children watch of a missing znode ends at once", func(r *trial) {
		r.program("a", long, func(c *client) {
			r.note("stopped %v", c.watchChildren("d").Stopped())
			c.create("d", "")
			c.create("d/a", "")
			c.there("d")
		})
		r.want("stopped true")
	}},

	{"a children watch ends with its znode", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("d", "")
			w := c.watchChildren("d")
			c.delete("d")
			c.await(w.Stopped)
			c.create("d", "")
			c.create("d/a", "")
			c.there("d")
		})
		r.want("d has ")
	}},

	{"watchers are told in the order of the changes", func(r *trial) {
		const rounds = 25
		names := []string{"x", "y", "z"}
		r.program("watcher", long, func(c *client) {
			for _, name := range names {
				c.create(name, "")
			}
			for _, name := range names {
				_, err := c.DataWatch(r.path(name), func(data []byte, _ *env.Stat, e *env.WatchEvent) error {
					if e != nil {
						r.note("%s%s", name, data)
					}
					return nil
				})
				c.must(err)
			}
			r.mark("watching")
			c.awaitMark("over")
		})
		r.program("writer", long, func(c *client) {
			c.awaitMark("watching")
			for i := range rounds {
				// All three writes happen before the watcher can read the first value.
				for _, name := range names {
					c.set(name, fmt.Sprint(i))
				}
				c.awaitLines(len(names) * (i + 1))
			}
			r.mark("over")
		})
		var want []string
		for i := range rounds {
			want = append(want, lists.Map(names, func(name string) string { return fmt.Sprintf("%s%d", name, i) })...)
		}
		r.want(want...)
	}},

	{"nothing that happens between a read and its watch is missed", func(r *trial) {
		const sets = 200
		r.program("watcher", long, func(c *client) {
			c.create("x", "0")
			last := ""
			_, err := c.DataWatch(r.path("x"), func(data []byte, _ *env.Stat, _ *env.WatchEvent) error {
				last = string(data)
				return nil
			})
			c.must(err)
			c.create("d", "")
			seen := 0
			_, err = c.ChildrenWatch(r.path("d"), func(children []string) error {
				seen = len(children)
				return nil
			})
			c.must(err)
			r.mark("watching")
			c.await(func() bool { return last == fmt.Sprint(sets) && seen == sets })
			r.note("seen all")
		})
		r.program("writer", long, func(c *client) {
			c.awaitMark("watching")
			for i := range sets {
				c.set("x", fmt.Sprint(i+1))
				c.create(fmt.Sprintf("d/%d", i), "")
			}
		})
		r.want("seen all")
	}},

	{"watches go on after a lost connection", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", "1")
			c.create("d", "")
			c.watchData("x")
			c.watchChildren("d")
			c.reset()
			c.awaitState(env.Suspended)
			c.awaitState(env.Connected)
			c.set("x", "2")
			c.awaitText(`x "2"`)
			c.create("d/a", "")
			c.awaitText("d has a")
			r.note("both")
		})
		r.wantInside("x \"1\"", "d has ", `x "2"`, "d has a", "both")
	}},

	{"watches see what happened while the connection was lost", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", "1")
			c.create("d", "")
			c.create("y", "same")
			c.watchData("x")
			c.watchChildren("d")
			c.watchData("y")
			c.cut()
			c.awaitState(env.Suspended)
			// Calls wait for the connection. The first one then makes its change either before or
			// after the watches have read again.
			c.heal()
			c.set("x", "2")
			c.create("d/a", "")
			c.awaitText(`x "2"`)
			c.awaitText("d has a")
			r.note("both")
		})
		r.wantInside("x \"1\"", "d has ", `y "same"`, `x "2"`, "d has a", "both")
	}},

	{"watches go on in another session", func(r *trial) {
		r.program("a", long, func(c *client) {
			c.create("x", "1")
			c.create("d", "")
			c.ephemeral("d/e")
			c.ephemeral("f")
			c.watchData("x")
			c.watchData("f")
			c.watchChildren("d")
			c.expire()
			c.awaitText("f missing")
			c.awaitText("d has ")
			c.awaitState(env.Connected)
			c.set("x", "2")
			c.awaitText(`x "2"`)
			c.create("d/a", "")
			c.awaitText("d has a")
			r.note("all")
		})
		r.wantInside(`x "1"`, `f ""`, "d has e", "f missing", "d has ", `x "2"`, "d has a", "all")
	}},
}

// awaitText waits until a log line begins with text. It ignores the event in the line, because
// after a reconnect it is random which event wakes a watch.
func (c *client) awaitText(text string) {
	c.await(func() bool {
		return slices.ContainsFunc(c.r.log.All(), func(line string) bool { return sameTelling(line, text) })
	})
}

func sameTelling(line, text string) bool {
	for _, e := range []env.EventType{env.EventNone, env.EventCreated, env.EventDeleted, env.EventChanged} {
		line, _, _ = strings.Cut(line, " "+e.String()+" ")
	}
	return line == text
}

// wantInside works like want, for watches that read again at the same time. The log must hold each
// line exactly once and no other line, but in any order and with any event.
func (r *trial) wantInside(lines ...string) {
	r.Helper()
	if err := r.Wait(); err != nil {
		r.Fatalf("%v\nthe log: %q", err, r.log.All())
	}
	got := r.log.All()
	for _, line := range lines {
		i := slices.IndexFunc(got, func(l string) bool { return sameTelling(l, line) })
		if i < 0 {
			r.Errorf("found no %q in %q", line, r.log.All())
			continue
		}
		got = slices.Delete(got, i, i+1)
	}
	if len(got) > 0 {
		r.Errorf("found besides: %q", got)
	}
}
