package openai

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestHeadersGoBeforeMembers(t *testing.T) {
	const hello = `{"model":"m","messages":[{"role":"user","content":"hi"}]`
	for _, c := range []struct {
		name, client string
		headers      []string
		want         string
	}{
		{"none", `{"dp_rank":1}`, nil, `{"dp_rank":1}`},
		{"without an nvext", ``, []string{"x-dynamo-worker-instance-id", "18446744073709551615"}, `{"backend_instance_id":18446744073709551615,"decode_worker_id":18446744073709551615}`},
		{"before members", `{"dp_rank":1,"extra_fields":["timing"]}`, []string{"X-Dynamo-Dp-Rank", "4", "X-Dynamo-Prefill-Dp-Rank", "5", "X-Dynamo-Prefill-Instance-Id", "6"},
			`{"dp_rank":4,"extra_fields":["timing"],"prefill_worker_id":6,"prefill_dp_rank":5}`},
		{"inside a member", `{"agent_hints":{"osl":7,"priority":1}}`, []string{"X-Dynamo-Request-Priority", "-3", "X-Dynamo-Request-Strict-Priority", "2"},
			`{"agent_hints":{"osl":7,"priority":-3,"strict_priority":2}}`},
		{"the alias, and a string", `{}`, []string{"X-Dp-Rank", "9", "X-Tenant-Id", `a "b"`}, `{"dp_rank":9,"cache_salt":"a \"b\""}`},
		{"the name goes before its alias", `{}`, []string{"X-Dp-Rank", "9", "X-Dynamo-Dp-Rank", "8"}, `{"dp_rank":8}`},
		{"no number", ``, []string{"X-Dynamo-Dp-Rank", "first"}, "X-Dynamo-Dp-Rank"},
		{"too large", ``, []string{"X-Dynamo-Request-Priority", "4294967296"}, "X-Dynamo-Request-Priority"},
		{"not one value", ``, []string{"X-Dynamo-Worker-Instance-Id", "1,\"x\":2"}, "X-Dynamo-Worker-Instance-Id"},
	} {
		body := hello
		if c.client != "" {
			body += `,"nvext":` + c.client
		}
		r, err := DecodeRequest([]byte(body + "}"))
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		for i := 0; i < len(c.headers); i += 2 {
			h.Set(c.headers[i], c.headers[i+1])
		}
		err = r.ApplyHeaders(h)
		if !strings.HasPrefix(c.want, "{") {
			var refused *Error
			if !errors.As(err, &refused) || refused.Status != 400 || refused.Param != c.want || !strings.Contains(refused.Message, c.want) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if got := string(r.Member("nvext")); err != nil || got != c.want || string(r.NVExt.Raw) != c.want {
			t.Errorf("%s: %v, %s, %s", c.name, err, got, r.NVExt.Raw)
		}
		if r.DropNVExt(); r.Member("nvext") != nil || r.NVExt.Raw != nil || r.NVExt.Wants("timing") {
			t.Errorf("%s: nvext is not dropped", c.name)
		}
	}
}
