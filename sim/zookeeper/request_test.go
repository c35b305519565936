package zookeeper

import (
	"fmt"
	"strings"
	"testing"
)

// Goal: codes and opcodes have the numbers of the protocol, which are the same in every version
// (ZK-14.6). Method: comparison with the lists of the specification.

func TestOpcodesHaveTheProtocolsNumbers(t *testing.T) { // ZK-10.1, ZK-14.6
	const listed = "notification 0, create 1, delete 2, exists 3, getData 4, setData 5, getACL 6, setACL 7, getChildren 8, sync 9, ping 11, " +
		"getChildren2 12, check 13, multi 14, create2 15, reconfig 16, checkWatches 17, removeWatches 18, createContainer 19, deleteContainer 20, " +
		"createTTL 21, multiRead 22, auth 100, setWatches 101, sasl 102, getEphemerals 103, getAllChildrenNumber 104, setWatches2 105, addWatch 106, " +
		"whoAmI 107, createSession -10, closeSession -11, error -1"
	for entry := range strings.SplitSeq(listed, ", ") {
		var name string
		var number int32
		if _, err := fmt.Sscan(entry, &name, &number); err != nil {
			t.Fatal(err)
		}
		expect(t, OpCode(number).String(), name)
	}
	expect(t, OpCode(77).String(), "OpCode(77)")
}

func TestCodesHaveTheProtocolsNumbers(t *testing.T) { // ZK-10.2, ZK-14.6
	for _, c := range []struct {
		code   Code
		number int32
	}{
		{CodeOK, 0}, {marshallingError, -5}, {unimplemented, -6}, {badArguments, -8}, {noNode, -101}, {noAuth, -102}, {badVersion, -103},
		{noChildrenForEphemerals, -108}, {nodeExists, -110}, {notEmpty, -111}, {sessionExpired, -112}, {invalidACL, -114}, {authFailed, -115},
		{CodeNotReadOnly, -119}, {CodeNoWatcher, -121}, {CodeReconfigDisabled, -123}, {quotaExceeded, -125},
	} {
		expect(t, int32(c.code), c.number)
		if name := CodeName(c.code); name == "" || strings.ContainsAny(name, "()-") {
			t.Errorf("%d: got name %q, want a word", c.number, name)
		}
	}
}

func TestReservedXids(t *testing.T) { // ZK-10.3
	expect(t, []int32{XidNotification, XidPing, XidAuth, XidSetWatches}, []int32{-1, -2, -4, -8})
}
