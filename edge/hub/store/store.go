// Package store keeps the hub's durable state: topics, subscriptions, and the
// GETs that callbacks are still to be sent. Open takes a file name (SQLite) or a
// postgres:// address; both speak through one set of queries (queries.sql) and
// pass one suite of tests.
//
// # Tables
//
//	topics         one row for each: the version that counts its changes, and the
//	               hash and manifest sequence of the newest content
//	subscriptions  one row for each (topic, callback) that was verified: secret,
//	               lease, the version delivered last, failures in a row, when the
//	               next attempt may be, how quickly it answers, and who has claimed
//	               the delivery
//	handshakes     one row for each (topic, callback) that is to be sent a GET: a
//	               verification or a denial; a newer request takes the older's place
//	owners         one row for each hub at work: until when it is known to be alive,
//	               and since when without a gap
//
// # Work is a query
//
// No delivery is ever written down. A subscription is due when its
// delivered_version is below its topic's version, its next attempt has come, its
// lease hasn't ended and nobody who is alive has claimed it. So a publish is one
// row, however many subscribe, and a process that is killed leaves nothing but
// claims, which lapse as soon as their owner is known to be dead: at once when a
// SQLite file is opened again, since one hub only may have it open, or after
// [OwnerLapse] where several share PostgreSQL. After a time without the database
// everybody looks dead: who has just come back waits as long before he takes it
// that the others are. Nobody takes over what he has claimed himself.
//
// # Clocks
//
// Callers give the time, as it should be with tests. Hubs that share a database
// must agree on it to within a few seconds, as NTP makes them.
package store

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Modes of a handshake, as they stand in hub.mode.
const (
	ModeSubscribe   = "subscribe"
	ModeUnsubscribe = "unsubscribe"
	ModeDenied      = "denied"
)

const (
	// OwnerLapse is how long after its last Beat an owner counts as alive.
	OwnerLapse = 10 * time.Second
	// ClaimLapse ends the claim of an owner that is alive but has lost sight of it, as
	// when the database's answer to the claim was lost. It is longer than any
	// delivery takes.
	ClaimLapse = 10 * time.Minute
)

var (
	// ErrHostBusy refuses a request: too many of its host's callbacks wait for their
	// verification.
	ErrHostBusy = errors.New("too many verifications are pending for this host")
	// ErrBusy refuses a request: too many wait for their verification in all.
	ErrBusy = errors.New("too many verifications are pending")
	// ErrFull refuses a new subscription: there are as many as there may be.
	ErrFull = errors.New("there are as many subscriptions as there may be")
	// ErrStale says that a newer request, or another hub, has settled a handshake.
	ErrStale = errors.New("the request was settled otherwise")
	// ErrSchema refuses a state whose tables aren't those of this program.
	ErrSchema = errors.New("the state has tables of another version")
	// ErrInUse refuses a SQLite file that another hub has open.
	ErrInUse = errors.New("another hub has this state open; several edges share one state in PostgreSQL")
)

// Store is the hub's durable state. What a method has done is durable when it
// returns, and done whole or not at all. Methods are safe for concurrent use.
type Store interface {
	// Publish makes the content of a hash the newest of a topic, if its manifest's
	// sequence is higher than that of the newest and the hash another; it tells
	// whether that is so. The first content of a topic moves nothing. Of the same
	// content the highest sequence is kept.
	Publish(ctx context.Context, now time.Time, p Publication) (moved bool, err error)
	// Topics gives the newest publications, by topic.
	Topics(ctx context.Context) (map[string]Publication, error)

	// Request notes that a callback is to be verified. It takes the place of an
	// older request for the same topic and callback. Served is what the topic holds
	// where the request was made, zero if nothing: whatever differs from it is what
	// the subscriber will be sent, even if the hub stops before Publish.
	Request(ctx context.Context, now time.Time, r Request, served Publication, caps Caps) error
	// ClaimHandshakes claims up to n that are due, none of the endpoints excepted.
	ClaimHandshakes(ctx context.Context, now time.Time, owner string, except []string, n int) ([]Handshake, error)
	// Settle ends a handshake. Applied, it makes, renews or removes the
	// subscription, whose id it gives (0: there was none). One that a newer request
	// has replaced is applied as long as the newer is not settled. ErrStale otherwise;
	// then nothing is changed.
	Settle(ctx context.Context, now time.Time, h Handshake, apply bool) (subscription int64, err error)
	// Postpone gives a handshake back, to be tried again at a time.
	Postpone(ctx context.Context, h Handshake, attempts int, next time.Time) error

	// Due tells where deliveries are due, or claimed: elsewhere a claim finds nothing.
	Due(ctx context.Context, now time.Time) ([]Vein, error)
	// ClaimDeliveries claims deliveries that are due.
	ClaimDeliveries(ctx context.Context, now time.Time, c Claim) ([]Delivery, error)
	// Confirm looks at claimed deliveries of an owner again: it gives those that are
	// still his, by the subscription's id, with secret, lease and failures as they are
	// now, and the topic's newest version. Topic, callback and the time of the claim
	// it leaves out.
	Confirm(ctx context.Context, owner string, ids []int64) (map[int64]Delivery, error)
	// Acknowledge ends deliveries of an owner.
	Acknowledge(ctx context.Context, now time.Time, owner string, outcomes []Outcome) error

	// Beat says that an owner is alive.
	Beat(ctx context.Context, now time.Time, owner string) error
	// Leave gives up an owner's claims.
	Leave(ctx context.Context, owner string) error
	// Sweep removes subscriptions whose lease has ended, at most n, and owners long
	// dead. It tells how many subscriptions.
	Sweep(ctx context.Context, now time.Time, n int) (int, error)
	// Wake gets a value when another process has made work. It may also stay silent:
	// look from time to time.
	Wake() <-chan struct{}

	// Counts counts for metrics and caps.
	Counts(ctx context.Context, now time.Time) (Counts, error)
	// List gives subscriptions by ascending id.
	List(ctx context.Context, f Filter) ([]Subscription, error)
	// Pending gives handshakes, the oldest request first, at most n.
	Pending(ctx context.Context, n int) ([]Handshake, error)
	// Retry makes waiting subscriptions due at once and forgets their failures; it
	// gives those that there are, in no order.
	Retry(ctx context.Context, ids []int64) (done []int64, err error)
	// Remove drops subscriptions without notice; it gives those that there were.
	Remove(ctx context.Context, ids []int64) (done []int64, err error)

	Close() error
}

// Publication is what a topic holds.
type Publication struct {
	Topic     string // the whole URL, base URL included
	SHA256    string // hex, of the body
	Sequence  int64  // of the manifest that lists it
	Version   int64  // counts the changes; Publish doesn't read it
	ChangedAt time.Time
}

// Request is what a subscriber asked for.
type Request struct {
	Topic    string
	Callback string
	Endpoint string // host:port of the callback
	Host     string // its host alone
	Mode     string
	Lease    time.Duration
	Secret   []byte // nil: none
}

// Caps bound what anybody can have the store keep. Requests about subscriptions
// that are there pass the first two: those are as many as there may be anyway.
type Caps struct {
	PendingPerHost int // requests
	Pending        int // requests in all; 0: no cap
	// Full refuses requests for subscriptions that aren't there yet.
	Full bool
}

// Handshake is a GET that a callback is to be sent.
type Handshake struct {
	Request
	Token       string // of this very request
	Reason      string // of a denial
	Version     int64  // of the topic when it was requested; what is higher will be news
	Attempts    int    // made so far, without an answer
	RequestedAt time.Time
	NextAttempt time.Time
}

// Vein is where there may be work: a topic's subscribers of one pace.
type Vein struct {
	Topic string
	Pace  Pace
}

// Claim says which deliveries to claim.
type Claim struct {
	Owner string
	Topic string
	// SHA256 is the content that the claimer can deliver. If the topic has moved to
	// another, there is nothing to claim.
	SHA256 string
	Pace   Pace     // of these subscribers only
	Except []string // endpoints
	Limit  int
}

// Pace is what is known of how quickly a subscriber answers.
type Pace int

// The paces, as they stand in the state.
const (
	AnyPace Pace = iota // of a claim: whoever is due
	New                 // he has answered nothing yet, or one delivery quickly since he was slow
	Quick
	Slow
)

func (p Pace) String() string { return [...]string{"any", "new", "quick", "slow"}[p] }

// Delivery is a claimed delivery.
type Delivery struct {
	ID        int64 // of the subscription
	Topic     string
	Callback  string
	Endpoint  string
	Secret    []byte
	ExpiresAt time.Time
	Failures  int   // in a row, before this one
	Version   int64 // what is delivered
	Pace      Pace
	ClaimedAt time.Time
}

// Verdict is how a delivery ended.
type Verdict int

// The verdicts.
const (
	Delivered Verdict = iota // acknowledged by the subscriber
	Failed                   // to be tried again at Next
	Released                 // not tried; claimable at Next, or as before when that is zero
	Gone                     // 410: the subscription is removed
	Denied                   // failed for the last time: removed, and told so
)

// Outcome is the end of a delivery.
type Outcome struct {
	Delivery Delivery
	Verdict  Verdict
	Next     time.Time // Failed, Released; for Gone and Denied when it turns out that the subscription was renewed meanwhile
	Slow     bool      // Delivered, Failed: it took long
	Error    string    // what operators are shown
	Reason   string    // Denied: hub.reason
}

// Counts are numbers of the whole state.
type Counts struct {
	Topics  map[string]TopicCounts
	Total   int            // subscriptions, those that have expired but aren't swept included
	Pending map[string]int // handshakes by mode
}

// TopicCounts are numbers of a topic, without expired subscriptions.
type TopicCounts struct {
	Active  int       // without a failure since the last acknowledgement
	Failing int       // with one
	Behind  int       // without the newest content
	Due     time.Time // since when one of those could have had it; zero if all of them wait for a retry
	Changed time.Time // when the newest content was published
}

// Subscription is what operators are shown. It never holds the secret.
type Subscription struct {
	ID          int64         `json:"id"`
	Topic       string        `json:"topic"`
	Callback    string        `json:"callback"`
	Secret      bool          `json:"secret"`
	Lease       time.Duration `json:"-"`
	CreatedAt   time.Time     `json:"created_at"`
	RenewedAt   time.Time     `json:"renewed_at"`
	ExpiresAt   time.Time     `json:"expires_at"`
	DeliveredAt time.Time     `json:"delivered_at,omitzero"`
	Behind      bool          `json:"behind"`
	Failures    int           `json:"failures"`
	NextAttempt time.Time     `json:"next_attempt,omitzero"`
	LastError   string        `json:"last_error,omitempty"`
	Slow        bool          `json:"slow"`
	InFlight    bool          `json:"in_flight"`
}

// Filter chooses subscriptions. The zero value is all.
type Filter struct {
	IDs      []int64 // these only
	Callback string  // exactly this
	Topic    string
	Failing  bool  // with failures only
	After    int64 // ids above
	Limit    int   // 0: no limit
	// At is when a claim must hold for its delivery to be in flight; zero: any claim.
	At time.Time
}

// Options say how to open a store.
type Options struct {
	// Exclusive is for the hub itself: it brings the tables up to date, and of SQLite
	// it takes the one lock that there is and frees the claims of whoever had it
	// before. Operators' commands go without, beside a hub that may be older.
	Exclusive bool
}

// IsPostgres tells whether a state is the address of a PostgreSQL database.
func IsPostgres(state string) bool {
	return strings.HasPrefix(state, "postgres://") || strings.HasPrefix(state, "postgresql://")
}

// Open opens the state. For a hub it makes what isn't there yet, and brings older
// tables up to date; newer ones are refused.
func Open(ctx context.Context, state string, o Options) (Store, error) {
	if IsPostgres(state) {
		return openPostgres(ctx, state, o)
	}
	return openSQLite(ctx, state, o)
}

// Endpoint is the host:port that a callback's connections go to, in one spelling,
// and its host alone.
func Endpoint(callback *url.URL) (endpoint, host string) {
	host = strings.TrimSuffix(strings.ToLower(callback.Hostname()), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		host = a.Unmap().String()
	}
	port := callback.Port()
	if port == "" {
		port = "443"
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]:" + port, host
	}
	return host + ":" + port, host
}
