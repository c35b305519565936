package plan

import (
	"path/filepath"
	"strconv"
	"strings"
)

// exportedAs splits the path of a file into sub-graph and version. The version is the last
// folder whose name is a number, and the sub-graph is the path before it. If there is no
// such folder, both are "".
func exportedAs(path string) (graph, version string) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 2; i >= 1; i-- {
		if n, err := strconv.ParseUint(parts[i], 10, 63); err == nil && n > 0 {
			return strings.Join(parts[:i], "/"), parts[i]
		}
	}
	return "", ""
}

// addUp sums the sizes of the largest version of each sub-graph, separately for PS
// (embeddings) and others (dense).
func addUp(found map[string]map[string]int64) (embeddings, dense int64) {
	for graph, versions := range found { //lint:order a sum
		largest := int64(0)
		for _, bytes := range versions { //lint:order a maximum
			largest = max(largest, bytes)
		}
		if strings.HasPrefix(graph[strings.LastIndexByte(graph, '/')+1:], "ps") {
			embeddings += largest
		} else {
			dense += largest
		}
	}
	return embeddings, dense
}
