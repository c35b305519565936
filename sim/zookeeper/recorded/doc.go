// Package recorded holds the machine of sim/zookeeper to a real server 3.8.0: its
// test plays scripts of requests and compares every answer, event and closed
// connection with what was recorded.
//
// Two things to use first: a script of testdata/real-3.8.0, requests with what was
// said to them, and script_test.go, which says how to write one. The answers are
// never written by hand: they were recorded with Debian's package zookeeper
// 3.8.0-11+deb12u2 (ZK-17), on servers that nobody else used, the second with
// zookeeper.enforceQuota and reconfigEnabled:
//
//	go test ./sim/zookeeper/recorded -zookeeper 127.0.0.1:PORT -zookeeper-strict 127.0.0.1:PORT2 -update
//
// testdata/paragraphs.txt says which test asserts each paragraph of the
// specification.
//
// With the flags and without -update, invented scripts are played on both sides
// as well.
package recorded
