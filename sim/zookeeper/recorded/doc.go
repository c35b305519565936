// Package recorded compares the machine of sim/zookeeper with real servers 3.8.0 and 3.9.3. Its
// test plays scripts of requests and compares every answer, event and closed connection with
// recordings.
//
// Two things to use first: a script of testdata/real-3.8.0, which has requests with their recorded
// answers, and script_test.go, which documents the format. The answers are never written by hand.
// Those of 3.8.0 are from Debian's package zookeeper 3.8.0-11+deb12u2 (ZK-17), those of 3.9.3 from
// Apache's release. Each was recorded on two servers without other clients, with the settings of
// ZK-17.2. The second server also has zookeeper.enforceQuota and reconfigEnabled:
//
//	go test ./sim/zookeeper/recorded -run AsTheReal -zookeeper 127.0.0.1:PORT \
//		-zookeeper-strict 127.0.0.1:PORT2 -zookeeper-version 3.8.0 -update
//
// testdata/paragraphs.txt lists the test for each rule of the specification, ../SPEC.md.
//
// Unstable: any commit may change it.
package recorded
