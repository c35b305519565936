package zookeeper

import "strings"

// validPath reports whether path names a znode: absolute, no empty, "." or ".."
// component, no trailing slash, no character that Java's PathUtils refuses
// (PathUtils.java:43). Those are ranges of UTF-16 units, so characters outside
// the basic plane, being surrogates there, are refused too.
func validPath(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	if path == "/" {
		return true
	}
	dots, length := 0, 0 // of the component
	for _, c := range path[1:] {
		switch {
		case c == '/':
			if length == dots && dots <= 2 {
				return false // "", "." or ".."
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

// parentPath cuts the last component off; "" is the root. It fails for a path
// without a slash or with a NUL, the only check that comes before the look-up
// of the parent (PrepRequestProcessor.java:292, :735).
func parentPath(path string) (parent string, ok bool) {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	return path[:slash], true
}

// systemPath reports whether the znode belongs to the server and cannot be deleted
// (DataTree.java isSpecialPath).
func systemPath(path string) bool {
	switch path {
	case "/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config":
		return true
	}
	return false
}
