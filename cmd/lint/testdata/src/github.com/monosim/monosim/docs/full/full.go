// Package full is one. Start with Use. To change it look here.
package full

// Use is used.
func Use() {}
