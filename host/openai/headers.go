package openai

import (
	"net/http"
	"slices"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// override is a request header that goes before members of nvext.
type override struct {
	header, alias string // the alias is the name before the prefix came
	kind          kind
	paths         [][]string
}

// overrides are Dynamo's (docs, page on request extensions).
var overrides = []override{
	{"X-Dynamo-Worker-Instance-Id", "X-Worker-Instance-Id", isUint64, [][]string{{"backend_instance_id"}, {"decode_worker_id"}}},
	{"X-Dynamo-Prefill-Instance-Id", "X-Prefill-Instance-Id", isUint64, [][]string{{"prefill_worker_id"}}},
	{"X-Dynamo-Dp-Rank", "X-Dp-Rank", isUint32, [][]string{{"dp_rank"}}},
	{"X-Dynamo-Prefill-Dp-Rank", "X-Prefill-Dp-Rank", isUint32, [][]string{{"prefill_dp_rank"}}},
	{"X-Dynamo-Request-Priority", "X-Request-Priority", isInt32, [][]string{{"agent_hints", "priority"}}},
	{"X-Dynamo-Request-Strict-Priority", "X-Request-Strict-Priority", isUint32, [][]string{{"agent_hints", "strict_priority"}}},
	{"X-Tenant-Id", "X-Tenant-Id", isString, [][]string{{"cache_salt"}}},
}

// ApplyHeaders sets the members of nvext that a header gives: headers go before
// members. The error is an *Error that names the header.
func (r *ChatRequest) ApplyHeaders(h http.Header) error {
	for _, o := range overrides {
		text := h.Get(o.header)
		if text == "" {
			text = h.Get(o.alias)
		}
		if text == "" {
			continue
		}
		value := Raw(text)
		if o.kind == isString {
			value = jsonx.AppendString(nil, text)
		}
		if !o.kind.fits(value) {
			return &Error{Status: http.StatusBadRequest, Code: CodeInvalidValue, Param: o.header, Message: "the header " + o.header + " must be " + o.kind.String()}
		}
		for _, path := range o.paths {
			r.setNVExt(setMember(r.NVExt.Raw, path, value))
		}
	}
	return nil
}

// DropNVExt forgets the request's nvext.
func (r *ChatRequest) DropNVExt() {
	r.NVExt = NVExtRequest{}
	r.Members = slices.DeleteFunc(r.Members, func(m Member) bool { return m.Name == "nvext" })
}

func (r *ChatRequest) setNVExt(v Raw) {
	r.NVExt.Raw = v
	for i := range r.Members {
		if r.Members[i].Name == "nvext" {
			r.Members[i].Value = v
			return
		}
	}
	r.Members = append(r.Members, Member{Name: "nvext", Value: v})
}

// setMember gives the object with the member at that path set.
func setMember(object Raw, path []string, value Raw) Raw {
	members := jsonx.Members(object)
	i := slices.IndexFunc(members, func(m Member) bool { return m.Name == path[0] })
	if i < 0 {
		i, members = len(members), append(members, Member{Name: path[0]})
	}
	if len(path) > 1 {
		value = setMember(members[i].Value, path[1:], value)
	}
	members[i].Value = value
	return jsonx.AppendMembers(nil, members)
}
