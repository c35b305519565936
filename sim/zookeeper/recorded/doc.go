// Package recorded holds the machine of sim/zookeeper to real servers 3.8.0 and
// 3.9.3: its test plays scripts of requests and compares every answer, event and
// closed connection with what was recorded.
//
// Two things to use first: a script of testdata/real-3.8.0, requests with what was
// said to them, and script_test.go, which says how to write one. The answers are
// never written by hand. Those of 3.8.0 are from Debian's package zookeeper
// 3.8.0-11+deb12u2 (ZK-17), those of 3.9.3 from Apache's release; each on two
// servers that nobody else used, with the settings of ZK-17.2, the second with
// zookeeper.enforceQuota and reconfigEnabled as well:
//
//	go test ./sim/zookeeper/recorded -run AsTheReal -zookeeper 127.0.0.1:PORT \
//		-zookeeper-strict 127.0.0.1:PORT2 -zookeeper-version 3.8.0 -update
//
// testdata/paragraphs.txt says which test asserts each rule of the specification,
// ../SPEC.md.
package recorded
