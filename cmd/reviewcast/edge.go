package main

type edgeCmd struct{}
