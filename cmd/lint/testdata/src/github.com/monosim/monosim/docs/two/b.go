// This file holds the rest.
package two // want `a second package comment, the first is in a.go`
