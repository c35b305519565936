package catalogue

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/runners/diff/testee"
)

// pathOps declares the operations that search by path: for the code base, and for the znodes of
// jobs.
var pathOps = operations{
	"path_utils.find_main":         findMain,
	"zk_utils.clear_zk_path":       clearZKPath,
	"zk_utils.MonolithKazooClient": kazooClient,
	"env_utils.setup_hdfs_env": surroundings(func(d *draws, c *testee.Case) {
		c.Env.Set("HADOOP_HDFS_HOME", pick(d, "/opt/hadoop", "", "/模"))
	}),
	"net_utils.AddressFamily": in(),
}

// findMain draws the path of a file, made of names for which the search looks, and the directories
// that exist.
func findMain(d *draws, c *testee.Case) object {
	var parts []string
	depth := 0
	for range 1 + d.length(5) {
		part := pick(d, "monolith", "__main__", "site-packages", "a", "c", "Monolith", "monolith2", "..", ".", "", "模", " ", text(d, 3))
		switch {
		case strings.ContainsAny(part, "/"):
			part = "a"
		case part == ".." && depth == 0:
			part = "." // paths above the case's directory differ from machine to machine
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
		// This directory is a prefix of the path, so that the code base may be found in it.
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
	return object{"__file__ (the module's own path)", join(oneOf("<TMP>/", "<TMP>/", "<TMP>/", "", "/", "//", "///", "<TMP>/a/../"), strings.Join(parts, "/"),
		oneOf("/p.py", "/", "", "/monolith/path_utils.py"))}
}

// plainPath returns a path with only those names that every file system accepts.
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

func clearZKPath(d *draws, c *testee.Case) object {
	c.Env = dict()
	d.vary(c.Env, pick(d, "MY_HOST_IP", "MY_POD_IP", "MY_HOST_IPV6")+"?4", oneOf("", "10.1.2.3", "fd00::9"))
	job := oneOf("job", "a", "b", "模", "c")
	node := []any{seldom(10, oneOf("/monolith", "/other/job", "/monolith2/a"), join("/monolith/", job, oneOf("", "", "/ps.0", "/x/y"))), someBytes}
	return object{"tree", withoutFoundParents(d.fill(distinct(6, node)).([]any)), "weeks_old ({path: weeks})",
		entries(4, join("/monolith", oneOf("/", "/", "/", ""), job, oneOf("", "", "", "/ps.0")), oneOf(9, 10, 8, 0, 2000, -1, 100)),
		"job_name", oneOf(job, job, "", "a/ps.0", "none", ".."), "force_clear_zk_path", either,
		"failing_deletes (paths whose delete raises RuntimeError)", some(2, join("/monolith/", job))}
}

// withoutFoundParents drops znodes that already exist, because creating an earlier znode has
// created them as its parents.
func withoutFoundParents(tree []any) []any {
	kept := []any{}
	for _, n := range tree {
		path := n.([]any)[0].(string)
		if !slices.ContainsFunc(kept, func(k any) bool { return strings.HasPrefix(k.([]any)[0].(string), path+"/") }) {
			kept = append(kept, n)
		}
	}
	return kept
}

// kazooClient draws credentials without repeating a pair, because the client keeps them in a set.
func kazooClient(d *draws, c *testee.Case) object {
	c.Env = dict()
	d.vary(c.Env, "ZK_AUTH!3", oneOf("u:p", "", "digest:u:p", "模", ":", " u:p "))
	pairs := some(3, []any{oneOf("digest", "ip", ""), oneOf("a:b", "", "模", "u:p")})
	distinctPairs := func(d *draws) any {
		return slices.CompactFunc(d.fill(pairs).([]any), func(a, b any) bool { return pysem.Repr(a) == pysem.Repr(b) })
	}
	return object{"kwargs (`auth_data`?)", object{"auth_data?", nullable(distinctPairs)}}
}
