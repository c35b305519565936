package names

import "testing"

// take is tried.
func TestTake(t *testing.T) { take() }

// help is another name.
func helper() {} // want `comment on helper begins with help`
