// Package killtest kills the real program, with SIGKILL, while it pushes changes
// to hundreds of subscribers, again and again, and then counts: nothing may be
// lost, nobody removed, and nothing delivered twice but what was in flight at a
// kill. It holds nothing but the test:
//
//	go test ./edge/hub/killtest                 four rounds for each database
//	KILL_ROUNDS=30 go test -v ./edge/hub/killtest   as CI does
package killtest
