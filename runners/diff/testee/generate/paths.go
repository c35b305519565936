package generate

import (
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// genPaths invents for what is found by its path: the code base, and the znodes of jobs.
var genPaths = map[string]generator{
	"path_utils.find_main":         genFindMain,
	"zk_utils.clear_zk_path":       genClearZKPath,
	"zk_utils.MonolithKazooClient": genKazooClient,
	"env_utils.setup_hdfs_env": func(d *draws, c *testee.Case) {
		c.Env.Set("HADOOP_HDFS_HOME", pick(d, "/opt/hadoop", "", "/模"))
	},
	"net_utils.AddressFamily": func(*draws, *testee.Case) {},
}

// genFindMain makes a file's path of names that the search knows, and directories that are there.
func genFindMain(d *draws, c *testee.Case) {
	var parts []string
	depth := 0
	for range 1 + d.length(5) {
		part := pick(d, "monolith", "__main__", "site-packages", "a", "c", "Monolith", "monolith2", "..", ".", "", "模", " ", text(d, 3))
		switch {
		case strings.ContainsAny(part, "/"):
			part = "a"
		case part == ".." && depth == 0:
			part = "." // above the case's directory nothing is the same twice
		}
		switch part {
		case "..":
			depth--
		case "", ".":
		default:
			depth++
		}
		parts = append(parts, part)
	}
	dirs := dict()
	for range d.length(3) {
		// A directory that may hold the code base: some of the path's beginning.
		dir := strings.Join(parts[:d.n(len(parts)+1)], "/")
		if dir = plainPath(dir); dir != "" {
			dir += "/"
		}
		dirs.Set(dir+pick(d, "monolith/", "monolith/", "x/", "monolith/__main__/"), nil)
	}
	if d.flip(8) {
		dirs = dict("monolith", "a file")
	}
	c.Files = dirs
	file := strings.Join(parts, "/") + pick(d, "/p.py", "/", "", "/monolith/path_utils.py")
	c.In = dict("__file__", pick(d, "<TMP>/", "<TMP>/", "<TMP>/", "", "/", "//", "///", "<TMP>/a/../")+file)
}

// plainPath is a path below a directory, of names that every file system takes.
func plainPath(path string) string {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "monolith", "__main__", "site-packages", "a", "c", "模", "Monolith", "monolith2", " ":
			names = append(names, name)
		}
	}
	return strings.Join(names, "/")
}

func genClearZKPath(d *draws, c *testee.Case) {
	c.Env = dict()
	if d.flip(4) {
		c.Env.Set(pick(d, "MY_HOST_IP", "MY_POD_IP", "MY_HOST_IPV6"), pick(d, "", "10.1.2.3", "fd00::9"))
	}
	job := func() string { return pick(d, "job", "a", "b", "模", "c") }
	tree, weeks, seen := []any{}, dict(), map[string]bool{}
	for range d.length(6) {
		path := "/monolith/" + job() + pick(d, "", "", "/ps.0", "/x/y")
		if d.flip(10) {
			path = pick(d, "/monolith", "/other/job", "/monolith2/a")
		}
		if !seen[path] {
			tree = append(tree, []any{path, someBytes(d)})
		}
		seen[path] = true
	}
	for range d.length(4) {
		weeks.Set("/monolith"+pick(d, "/", "/", "/", "")+job()+pick(d, "", "", "", "/ps.0"), pick(d, 9, 10, 8, 0, 2000, -1, 100))
	}
	failing := list(d, 2, func() any { return "/monolith/" + job() })
	c.In = dict("tree", withoutFoundParents(tree), "weeks_old", weeks, "job_name", pick(d, job(), job(), "", "a/ps.0", "none", ".."), "force_clear_zk_path", d.flip(2), "failing_deletes", failing)
}

// withoutFoundParents drops nodes that an earlier one has made on the way.
func withoutFoundParents(tree []any) []any {
	kept := []any{}
	for _, n := range tree {
		path, made := n.([]any)[0].(string), false
		for _, k := range kept {
			made = made || strings.HasPrefix(k.([]any)[0].(string), path+"/")
		}
		if !made {
			kept = append(kept, n)
		}
	}
	return kept
}

func genKazooClient(d *draws, c *testee.Case) {
	c.Env = dict()
	if !d.flip(3) {
		c.Env.Set("ZK_AUTH", pick(d, "u:p", "", "digest:u:p", "模", ":", " u:p "))
	}
	kwargs := dict()
	if d.flip(2) {
		kwargs.Set("auth_data", optional(d, func() any {
			return distinctPairs(list(d, 3, func() any { return []any{pick(d, "digest", "ip", ""), pick(d, "a:b", "", "模", "u:p")} }))
		}))
	}
	c.In = dict("kwargs", kwargs)
}

// distinctPairs drops pairs that came before, for the client keeps a set.
func distinctPairs(pairs []any) []any {
	seen, kept := map[string]bool{}, []any{}
	for _, p := range pairs {
		if key := pysem.Repr(p); !seen[key] {
			seen[key] = true
			kept = append(kept, p)
		}
	}
	return kept
}

// genReachable invents addresses, some of which answer.
func genReachable(d *draws, c *testee.Case) {
	hosts := []string{"h", "g", "10.0.0.1", "::1", "fd00::1", "", "模"}
	addrs := list(d, 5, func() any {
		if d.flip(5) {
			return pick(d, "h", "", ":", "h:", ":1", "h:x", "h: 1", "h:1_0", "[::1]:1", "::1:1", "[h]:1", "h:1:2", "h:-1", "h:٣", "[[::1]]:1", "h:99999", "fe80::1%eth0:1", text(d, 5))
		}
		host := pick(d, hosts...)
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return host + ":" + pick(d, "1", "2", "3")
	})
	open := list(d, 5, func() any { return []any{pick(d, hosts...), pick(d, 1, 2, 3, 10, -1, 99999)} })
	c.In = dict("addrs", addrs, "open", open, "timeout", pick(d, 1, 60, 0), "num_thread", pick(d, 10, 1, 2, 0))
}
