// Package sse reads server-sent events as they come, in a bounded amount of
// memory. Source: the HTML standard, "Server-sent events", interpreting an event
// stream; what differs is said at Reader.
package sse

import (
	"bytes"
	"errors"
	"io"
)

// ErrTooLong says that a line, or an event, is longer than the limit.
var ErrTooLong = errors.New("an event is longer than the limit")

// Event is one event. Its slices are valid until the next call of Next.
type Event struct {
	// Name is the value of the last "event:" line; empty if there was none.
	Name []byte
	// ID is the value of the last "id:" line of this event; empty if there was none.
	ID []byte
	// Data is the values of the "data:" lines, joined by line feeds.
	Data []byte
	// HasData tells an empty "data:" line from none.
	HasData bool
	// Comments are the texts of the first comment lines in this event's block.
	Comments []string
	// Cut says that the stream ended before the event did.
	Cut bool
}

// Reader reads events. Other than the standard it gives events that have a name
// or comments but no data, and it gives a last event that is not followed by an
// empty line if the stream ends in good order.
type Reader struct {
	src io.Reader
	max int

	buf        []byte
	start, end int  // what of buf is not read yet
	skipLF     bool // the last line ended with CR: a LF that follows belongs to it
	begun      bool // a byte order mark can no longer come
	err        error

	event Event
	seen  bool // the current block has a line that counts
}

const (
	firstBuffer = 8 << 10
	maxComments = 16 // an engine may send comments for ever
)

// NewReader reads from src. No line and no event's data may be longer than max
// bytes.
func NewReader(src io.Reader, max int) *Reader {
	return &Reader{src: src, max: max, buf: make([]byte, min(firstBuffer, max+2))}
}

// Next gives the next event. io.EOF is the end in good order; after any other
// error what came of an unfinished event is dropped.
func (r *Reader) Next() (Event, error) {
	r.event = Event{Name: r.event.Name[:0], ID: r.event.ID[:0], Data: r.event.Data[:0]}
	r.seen = false
	for {
		line, err := r.line()
		if err == io.EOF && r.seen {
			r.event.Cut = true
			return r.event, nil
		}
		if err != nil {
			return Event{}, err
		}
		if len(line) > 0 {
			if err := r.field(line); err != nil {
				return Event{}, err
			}
			continue
		}
		if r.seen {
			return r.event, nil
		}
	}
}

func (r *Reader) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "":
		r.seen = true
		if len(r.event.Comments) < maxComments {
			r.event.Comments = append(r.event.Comments, string(value))
		}
	case "event":
		r.seen = true
		r.event.Name = append(r.event.Name[:0], value...)
	case "id":
		r.event.ID = append(r.event.ID[:0], value...)
	case "data":
		if r.event.HasData {
			r.event.Data = append(r.event.Data, '\n')
		}
		if len(r.event.Data)+len(value) > r.max {
			r.err = ErrTooLong
			return r.err
		}
		r.seen, r.event.HasData = true, true
		r.event.Data = append(r.event.Data, value...)
	}
	return nil
}

// line gives the next line without its end. At the end of the stream, in good
// order, what is left is a line as well.
func (r *Reader) line() ([]byte, error) {
	scanned := 0
	for {
		if r.skipLF && r.start < r.end {
			r.skipLF = false
			if r.buf[r.start] == '\n' {
				r.start++
			}
		}
		rest := r.buf[r.start:r.end]
		if i := lineEnd(rest, scanned); i >= 0 {
			r.start += i + 1
			r.skipLF = rest[i] == '\r'
			return r.unmark(rest[:i]), nil
		}
		scanned = len(rest)
		if scanned > r.max {
			r.err = ErrTooLong
		}
		if r.err == io.EOF && scanned > 0 {
			r.start = r.end
			return r.unmark(rest), nil
		}
		if r.err != nil {
			return nil, r.err
		}
		r.fill()
	}
}

func lineEnd(b []byte, from int) int {
	i := bytes.IndexByte(b[from:], '\n')
	part := b[from:]
	if i >= 0 {
		part = part[:i]
	}
	if cr := bytes.IndexByte(part, '\r'); cr >= 0 {
		i = cr
	}
	if i < 0 {
		return -1
	}
	return from + i
}

// unmark takes the byte order mark off the first line.
func (r *Reader) unmark(line []byte) []byte {
	if !r.begun {
		r.begun = true
		return bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line
}

// fill reads once, and makes room first.
func (r *Reader) fill() {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	r.err = err
}
