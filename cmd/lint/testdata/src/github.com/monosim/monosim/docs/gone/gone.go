// Package gone is one. Start with Use. To change it look in gone.go, away.go and gone*.go,
// in docs/full/full.go, or in docs/other/other.go.
package gone // want `package comment names away.go, which is not there` `package comment names docs/other/other.go, which is not there`

// Use is used.
func Use() {}
