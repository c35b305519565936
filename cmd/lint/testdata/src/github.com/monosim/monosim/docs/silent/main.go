package main // want `no package comment: write one that begins "Command silent"`

func main() {}
