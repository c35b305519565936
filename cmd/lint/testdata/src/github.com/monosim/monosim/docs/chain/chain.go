// Package chain is one. To change a look in a.go; b, in b.go; c, in c.go; d, in d.go.
package chain // want `package comment has more than 2 semicolons in the sentence that begins "To change"` `package comment names a.go` `package comment names b.go` `package comment names c.go` `package comment names d.go` `package comment of 2 sentences`
