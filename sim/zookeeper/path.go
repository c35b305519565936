package zookeeper

import "strings"

// validPath reports whether path can name a znode. It must be absolute and have no empty, "." or
// ".." component, no trailing slash, and no character that Java's PathUtils rejects
// (PathUtils.java:43). Java checks UTF-16 units. So it rejects all characters outside the basic
// plane, which are surrogates there.
func validPath(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	if path == "/" {
		return true
	}
	dots, length := 0, 0 // number of dots and of all characters in the present component
	for _, c := range path[1:] {
		switch {
		case c == '/':
			if length == dots && dots <= 2 {
				return false // the component is empty, "." or ".."
			}
			dots, length = 0, 0
			continue
		case c == '.':
			dots++
		case c <= 0x1f || c >= 0x7f && c <= 0x9f || c >= 0xd800 && c <= 0xf8ff || c >= 0xfff0:
			return false
		}
		length++
	}
	return length != dots || dots > 2
}

// parentPath returns a path without its last component; "" is the root. ok is false if the path has
// no slash or contains a NUL. The server checks nothing else before it looks up the parent
// (PrepRequestProcessor.java:292, :735).
func parentPath(path string) (parent string, ok bool) {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	return path[:slash], true
}

// systemPath reports whether a znode belongs to the server. Such a znode cannot be deleted
// (DataTree.java isSpecialPath).
func systemPath(path string) bool {
	switch path {
	case "/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config":
		return true
	}
	return false
}
