// A module of somebody's own, outside of this one. A test of runners/test/simtest
// (embedder_test.go) runs a copy of it; the go command adds the rest to that one's
// requirements, by go test -mod=mod.

module example.com/embedder

go 1.26.0

require (
	github.com/go-zookeeper/zk v1.0.4
	github.com/monosim/monosim v0.0.0
)

replace github.com/monosim/monosim => ../../../../..
