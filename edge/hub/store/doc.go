// Package store keeps the durable state of the hub: topics, subscriptions, and the GET requests that callbacks are
// still to be sent. [Open] takes a file name (SQLite) or a postgres:// address. Both databases share one set of queries
// (queries.sql) and one test suite.
//
// # Tables
//
//	topics         one row per topic: a version that counts its changes, and the
//	               hash and manifest sequence of the newest content
//	subscriptions  one row per (topic, callback) that was verified: secret, lease,
//	               the version delivered last, consecutive failures, the time of
//	               the next attempt, how quickly it answers, and who has claimed
//	               the delivery
//	handshakes     one row per (topic, callback) that is to be sent a GET, as
//	               [Verification]; a newer request replaces an older one
//	departed       one row per subscription that has ended and per verification that
//	               has failed, for 30 days
//	owners         one row per running hub: until when it is known to be alive, and
//	               since when without a gap
//	secrets, ended_sessions
//	               the key of the ids of MCP sessions, and the sessions that have ended
//
// # Work is a query
//
// No delivery is ever stored. A subscription is due when its delivered_version is below its topic's version, its next
// attempt has come, its lease hasn't ended and no living owner has claimed it. So publishing writes one row, however
// many subscribers there are, and a killed process leaves nothing but claims. They lapse as soon as their owner is
// known to be dead: immediately when a SQLite file is opened again, because only one hub may have it open; after
// [OwnerLapse] where several hubs share PostgreSQL. After an outage of the database every owner looks dead, so a hub
// that has just reconnected waits for the same time before it takes over the claims of others. Of its own claims a hub
// takes over those whose answer was lost (owners.go) and those that have lapsed.
//
// # Clocks
//
// Callers pass the time. Hubs that share a database must agree on it to within a few seconds, as NTP ensures.
package store
