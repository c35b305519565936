// Package long says in one sentence what it is and what a reader who has never
// seen it might use first and where they would have to look if they
// had to change it, which is enough though it has no second sentence
package long
