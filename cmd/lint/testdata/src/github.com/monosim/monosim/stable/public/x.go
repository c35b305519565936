// Package public is named in STABILITY.md.
package public
