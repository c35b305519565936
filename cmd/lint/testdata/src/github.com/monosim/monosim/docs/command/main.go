// Package main runs it. Start with Use. To change it look here.
package main // want `begins "Package main": begin it with "Command command"`

func main() {}
