// Package hub measures the hub side by side with the bare loop of calls that any
// hub must be slower than, in one process and one run, on the real network of this
// machine:
//
//	go test -run '^$' -bench . -benchtime 1x -timeout 30m ./bench/hub
//
// Fan-out: a 50 KB feed to 10,000 subscribers over HTTPS with keep-alive, state
// durable. Isolation: the same with one per cent of silent subscribers. Memory and
// publishing at 100,000 subscriptions.
package hub
