module github.com/monosim/monosim

go 1.26
