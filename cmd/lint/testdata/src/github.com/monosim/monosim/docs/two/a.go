// Package two is one. Start with Use. To change it look here.
package two
