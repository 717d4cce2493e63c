// Package hub is a WebSub hub (W3C Recommendation of 23 January 2018) for the topics of one published directory. It
// accepts subscriptions, verifies them, and pushes every change to every subscriber. [New] returns a [Hub], the
// http.Handler of reviewcast.PathHub; [Hub.Run] does the work behind it.
//
// The code reads in this order: request (request.go), verification (verify.go), changes (claim.go),
// scheduling (claim.go, scheduler.go, slots.go), delivery (deliver.go, network.go), acknowledgement (deliver.go).
// run.go starts and stops the goroutines; status.go says what has happened to a subscription.
//
// # States of a subscription
//
// A subscription is a callback and a topic. Its whole state is in the store; see
// reviewcast/edge/hub/store for the tables.
//
//	state     event                        next state
//	none      subscribe requested          pending: a verification is stored, then 202
//	pending   challenge echoed             active: a row in subscriptions
//	pending   any other answer             as before the request
//	pending   no answer                    asked again, three times in all, then as any other answer
//	pending   newer request                replaced; an echo of the old challenge counts until the newer request is settled
//	active    subscribe verified           active, with the new lease and secret
//	active    unsubscribe verified         none
//	active    delivery: 2xx                active, no failures
//	active    delivery: 410                none
//	active    delivery: any other result   active, one more failure, waits 30 s, then 1 h
//	active    third consecutive failure    none, and a denial (hub.mode=denied) is stored
//	active    our network fails            active, postponed
//	active    lease ends                   none, without notice
//
// A new subscription isn't sent the current content. It is sent every change after the request, even one that comes
// before the verification. Renewing changes the lease and the secret, and ends a wait and the count of failures: the
// subscriber has just answered. The row of an expired subscription is kept for a day, in case our clock is wrong.
//
// # Why nothing is lost
//
// Publishing writes one row: the topic's new version, hash and sequence. Subscriptions that were delivered a lower
// version are due, by a query; there is no queue. A claim keeps two workers or two hubs from delivering the same, and
// lapses when its owner is dead. What happens when the process is killed:
//
//   - before a request is stored: there was no 202, so the subscriber asks again;
//   - during a verification: its row remains, the claim lapses, and the callback is asked again with another challenge;
//   - before the topic's row is updated: the next start compares the published files with it, as after every reload;
//   - between claim and POST: the claim lapses;
//   - between POST and acknowledgement: the claim lapses, and this subscriber gets the same content twice.
//
// Without a kill, content is sent twice after an acknowledgement that the database rejects, an answer that came too
// late, and a takeover by another hub. Subscribers must accept duplicates.
//
// An edge whose files are older than the topic's row claims nothing: the claim names the
// hash that it can deliver. It reloads its files first.
//
// A claimed delivery may wait in a queue. Before it begins, its subscription is read again if the claim is older than
// claimAge, or than the last confirmed verification. So no older content is sent, and no removed subscription
// or older secret is used, but within claimAge of another hub's change.
//
// # Isolation
//
// Deliveries in flight are limited, in all and per host:port. Silent and slow ones have slots of their own (slots.go),
// so that a subscriber that has answered quickly once doesn't wait for many slow ones, old or new. Deliveries to a
// host:port that doesn't answer are postponed by its breaker (network.go), not failed. All connections use HTTP/1.1,
// because streams that share a connection would share its stalls.
//
// # Failures of our own
//
// A delivery without an answer counts as a failure only if the network works (network.go). Errors of this machine never
// count, and neither does a name server's silence. A write that the database rejects again and again, while heartbeats succeed, is given up: the claim
// lapses and the delivery is repeated.
//
// While the state can't be written, requests are rejected and [Hub.Health] returns [ErrState] with the cause.
//
// # Safety
//
// Callbacks are untrusted input. All calls use a client that checks each address when it
// is dialled (client.go), follows no redirect, uses no proxy and no cookies, and reads at
// most 64 KiB of an answer. Verifications use a client that never reuses a connection.
package hub
