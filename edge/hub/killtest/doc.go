// Package killtest kills the real program with SIGKILL while it delivers changes to
// hundreds of subscribers, repeatedly, and counts: no delivery may be lost, no subscriber
// removed, and nothing delivered twice but what was in flight at a kill. It contains only
// the test:
//
//	go test ./edge/hub/killtest                     four rounds for each database
//	KILL_ROUNDS=30 go test -v ./edge/hub/killtest   as in CI
package killtest
