package shown_test

import (
	"strings"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/shown"
)

// dated is an instance with a header.
func dated(t *testing.T, header string) *model.Instance {
	t.Helper()
	in, err := model.ReadInstance(strings.NewReader(`{"schema":"allot/instance/1",`+header+`"clusters":[{"id":"c","machines":[{"id":"m"}]}],"jobs":[]}`), "f")
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Dates in each kind of zone, and none where the instance does not tell them. 1792000000 is 2026-10-14T17:46:40 in UTC by another program (date -u).
func TestClock(t *testing.T) {
	for _, c := range []struct {
		header     string
		at         float64
		date, zone string
	}{
		{``, 0, "", ""},
		{`"time_zero":1792000000,"time_zone":"UTC",`, 0, "2026-10-14T17:46:40", "UTC"},
		{`"time_zero":1792000000,"time_zone":"unstated",`, 60, "2026-10-14T17:47:40", "clock times as in the record, which states no zone"},
		{`"time_zero":1792000000,"time_zone":"Europe/Stockholm",`, 0, "2026-10-14T19:46:40", "CET, UTC+01:00 or CEST, UTC+02:00 by the date"},
		{`"time_zero":1792000000,"time_zone":"Europe/Stockholm",`, 30 * 86400, "2026-11-13T18:46:40", "CET, UTC+01:00 or CEST, UTC+02:00 by the date"},
		{`"time_zero":1792888200,"time_zone":"Europe/Stockholm",`, -3600, "2026-10-25T01:30:00", "CET, UTC+01:00 or CEST, UTC+02:00 by the date"},
		{`"time_zero":1792888200,"time_zone":"Europe/Stockholm",`, 0, "2026-10-25T02:30:00+02:00", "CET, UTC+01:00 or CEST, UTC+02:00 by the date"},
		{`"time_zero":1792888200,"time_zone":"Europe/Stockholm",`, 3600, "2026-10-25T02:30:00+01:00", "CET, UTC+01:00 or CEST, UTC+02:00 by the date"},
		{`"time_zero":1792888200,"time_zone":"Europe/Stockholm",`, 7200, "2026-10-25T03:30:00", "CET, UTC+01:00 or CEST, UTC+02:00 by the date"},
		{`"time_zero":1774747800,"time_zone":"Europe/Stockholm",`, 0, "2026-03-29T03:30:00", "CET, UTC+01:00 or CEST, UTC+02:00 by the date"}, // the clock goes on
		{`"time_zero":1792000000,"time_zone":"Asia/Tokyo",`, 0, "2026-10-15T02:46:40", "JST, UTC+09:00"},
		{`"time_zero":1792000000,"time_zone":"UTC","units":{"time":"h"},`, 1.5, "2026-10-14T19:16:40", "UTC"},
		{`"time_zero":1792000000,"time_zone":"UTC","units":{"time":"ticks"},`, 0, "", ""},
		{`"time_zero":1792000000.4,"time_zone":"UTC",`, 0.2, "2026-10-14T17:46:41", "UTC"},
		{`"time_zero":1e18,"time_zone":"UTC",`, 0, "", ""},
		{`"time_zero":0,"time_zone":"UTC",`, 0, "1970-01-01T00:00:00", "UTC"},
	} {
		clock := shown.ClockOf(dated(t, c.header))
		if date, zone := clock.Date(c.at), clock.Zone(c.at); date != c.date || zone != c.zone {
			t.Errorf("%s at %v: %q in %q, expected %q in %q", c.header, c.at, date, zone, c.date, c.zone)
		}
	}
}

// Without a zone, dates are in that of the machine, which the tests of the command set by TZ; a zone that the machine does not know counts as none.
func TestClockOfTheMachine(t *testing.T) {
	stated, unknown := shown.ClockOf(dated(t, `"time_zero":1792000000,`)), shown.ClockOf(dated(t, `"time_zero":1792000000,"time_zone":"Nowhere/Land",`))
	if a, b := stated.Date(0)+stated.Zone(0), unknown.Date(0)+unknown.Zone(0); a != b || a == "" {
		t.Errorf("%q, %q", a, b)
	}
}

// A zone that this machine does not know shows UTC, not the zone of the machine.
func TestUnknownZone(t *testing.T) {
	before := time.Local
	defer func() { time.Local = before }()
	time.Local = time.FixedZone("here", 9*3600)
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, TimeZero: new(0.0), TimeZone: "Mars/Olympus", Jobs: []model.JobSpec{{ID: "a", Work: new(1.0)}},
		Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}}})
	if err != nil {
		t.Fatal(err)
	}
	clock := shown.ClockOf(in)
	if got := clock.Date(60) + " " + clock.Zone(60); got != "1970-01-01T00:01:00 UTC" {
		t.Errorf("found %s", got)
	}
}
