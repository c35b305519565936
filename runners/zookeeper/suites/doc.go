// Package suites runs other people's test suites against `monosim zookeeper`:
// kazoo's own, go-zookeeper's own, and scripts of ZooKeeper's shell. Nothing of
// their checkouts is changed, and nothing of them is in this repository. It is made
// of tests only; `make check-zookeeper-suites` runs them.
//
// Two things to look at first:
//
//   - testdata/simulated/zkServer.sh, which both suites start instead of
//     ZooKeeper's own. With SERVER=real they get testdata/real/zkServer.sh, to see
//     what a real standalone server does with the same tests.
//   - testdata/kazoo.txt and testdata/gozk.txt: the tests that fail on a real
//     standalone server too, and those that are skipped, with the reasons. Any
//     other failure or skip fails the run.
//
// KAZOO_SRC and GOZK_SRC name the checkouts (several with colons between), PYTHON
// the interpreter with what kazoo's tests import. To change how kazoo's tests find
// their server look in testdata/kazoo_server.py; what the shell is asked, in
// testdata/shell.txt.
package suites
