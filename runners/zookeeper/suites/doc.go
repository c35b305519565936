// Package suites runs other projects' test suites against `monosim zookeeper`: kazoo's own,
// go-zookeeper's own, and scripts of ZooKeeper's shell. Their checkouts stay unchanged, and
// nothing of them is in this repository. It has only tests; `make check-zookeeper-suites`
// runs them.
//
// Two things to look at first:
//
//   - testdata/simulated/zkServer.sh, which both suites start instead of
//     ZooKeeper's own. With SERVER=real they get testdata/real/zkServer.sh, which shows
//     what a real standalone server does with the same tests.
//   - testdata/kazoo.txt and testdata/gozk.txt list the tests that fail on a real
//     standalone server too, and those that are skipped, with the reasons. Any
//     other failure or skip fails the run.
//
// ZOOKEEPER_TESTS is a folder with the jars that testdata/java/pom.xml names; by two classes beside it
// Apache's ClientBase, and what else makes a ServerCnxnFactory, has our program serve; testdata/apache.txt lists what looks into its
// process instead. CURATOR_JARS is one with those of testdata/java/curator/pom.xml, for recipes that are played on a real server and on ours.
// KAZOO_SRC and GOZK_SRC name the checkouts (several with colons between), PYTHON the
// interpreter with the packages that kazoo's tests import. To change
//
//   - how kazoo's tests find their server: testdata/kazoo_server.py
//   - what the shell is asked: testdata/shell.txt
//
// Unstable: any commit may change it.
package suites
