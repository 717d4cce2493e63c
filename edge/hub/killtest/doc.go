// Package killtest kills the real program with SIGKILL while it delivers changes to
// hundreds of subscribers, repeatedly, and counts: no delivery may be lost, no subscriber
// removed, and nothing delivered twice but what was in flight at a kill. Other tests take the
// state away from the real program, or give it subscribers with every fault. The package
// contains only tests, which CI runs and make test skips:
//
//	KILL_ROUNDS=30 go test -v ./edge/hub/killtest
package killtest
