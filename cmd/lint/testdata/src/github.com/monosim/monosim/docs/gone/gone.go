// Package gone is one. Start with Use. To change it look in gone.go, away.go and gone*.go,
// or in cmd/lint/other.go.
package gone // want `package comment names away.go, which is not there`

// Use is used.
func Use() {}
