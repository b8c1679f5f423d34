package backend

import (
	"net/http"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// told is what a client can act on.
type told struct {
	status             int
	code               string
	public             bool
	kind, param, named string
	said               string
}

func whatIsTold(e *Error) told {
	return told{e.Status, e.Code, e.Public, e.Named.Type, e.Named.Param, string(e.Named.Code), e.Said}
}

// TestErrorBodiesOfEngines: bodies as engines and gateways answer them with a status, from
// their sources and from public reports.
func TestErrorBodiesOfEngines(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		want   told
	}{
		{"OpenAI, no quota", 429, `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
			told{429, CodeStatus, true, "insufficient_quota", "", `"insufficient_quota"`, "You exceeded your current quota."}},
		{"OpenAI, too long", 400, `{"error":{"message":"maximum context length is 8192 tokens","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			told{400, CodeStatus, true, "invalid_request_error", "messages", `"context_length_exceeded"`, "maximum context length is 8192 tokens"}},
		{"vLLM, flat", 400, `{"object":"error","message":"maximum context length is 16384 tokens","type":"BadRequestError","param":null,"code":400}`,
			told{400, CodeStatus, true, "BadRequestError", "", "400", "maximum context length is 16384 tokens"}},
		{"vLLM, nested", 404, `{"error":{"message":"The model x does not exist.","type":"NotFoundError","param":"model","code":404}}`,
			told{404, CodeStatus, true, "NotFoundError", "model", "404", "The model x does not exist."}},
		{"SGLang, queue full", 503, `{"object":"error","message":"The request queue is full.","type":"SERVICE_UNAVAILABLE","param":null,"code":503}`,
			told{503, CodeOverloaded, false, "SERVICE_UNAVAILABLE", "", "503", "The request queue is full."}},
		{"llama.cpp, too long", 400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`,
			told{400, CodeStatus, true, "exceed_context_size_error", "", "400", "the request exceeds the available context size"}},
		{"llama.cpp, too long, as 500", 500, `{"error":{"code":500,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`,
			told{400, CodeStatus, true, "exceed_context_size_error", "", "500", "the request exceeds the available context size"}},
		{"llama.cpp, not built for it", 501, `{"error":{"code":501,"message":"This server does not support it.","type":"not_supported_error"}}`,
			told{501, CodeStatus, true, "not_supported_error", "", "501", "This server does not support it."}},
		{"llama.cpp, key", 401, `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`,
			told{502, CodeAuth, false, "authentication_error", "", "401", "Invalid API Key"}},
		{"TGI, validation", 422, `{"error":"Input validation error: too many tokens","error_type":"validation"}`,
			told{400, CodeStatus, true, "validation", "", "", "Input validation error: too many tokens"}},
		{"TGI, busy", 429, `{"error":"Model is overloaded","error_type":"overloaded"}`,
			told{429, CodeStatus, true, "overloaded", "", "", "Model is overloaded"}},
		{"FastAPI, list", 422, `{"detail":[{"type":"missing","loc":["body","messages",0,"role"],"msg":"Field required"}]}`,
			told{400, CodeStatus, true, "", "messages.0.role", "", "Field required"}},
		{"FastAPI, text", 404, `{"detail":"Not Found"}`, told{404, CodeStatus, true, "", "", "", "Not Found"}},
		{"Mistral, wrapped", 422, `{"object":"error","message":{"detail":[{"msg":"Extra inputs are not permitted","loc":["body","x"]}]},"type":"invalid_request_error","param":null,"code":null}`,
			told{400, CodeStatus, true, "invalid_request_error", "", "", "Extra inputs are not permitted"}},
		{"Azure, filter", 400, `{"error":{"message":"The response was filtered","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
			told{400, CodeStatus, true, "", "prompt", `"content_filter"`, "The response was filtered"}},
		{"Azure, rate", 429, `{"error":{"code":"429","message":"exceeded token rate limit. Please retry after 20 seconds."}}`,
			told{429, CodeStatus, true, "", "", `"429"`, "exceeded token rate limit. Please retry after 20 seconds."}},
		{"Azure gateway, key", 401, `{"statusCode":401,"message":"Access denied due to missing subscription key."}`,
			told{502, CodeAuth, false, "", "", "", "Access denied due to missing subscription key."}},
		{"a gateway that forbids", 403, `<html>403 Forbidden</html>`, told{502, CodeAuth, false, "", "", "", ""}},
		{"Anthropic, overloaded", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			told{529, CodeOverloaded, false, "overloaded_error", "", "", "Overloaded"}},
		{"Gemini, overloaded", 503, `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`,
			told{503, CodeOverloaded, false, "", "", "503", "The model is overloaded."}},
		{"overloaded, as 500", 500, `{"error":{"message":"Overloaded","type":"server_error","code":"server_overloaded"}}`,
			told{503, CodeOverloaded, false, "server_error", "", `"server_overloaded"`, "Overloaded"}},
		{"Ollama", 404, `{"error":"model 'x' not found"}`, told{404, CodeStatus, true, "", "", "", "model 'x' not found"}},
		{"nginx, bad gateway", 502, `<html>502 Bad Gateway</html>`, told{502, CodeStatus, false, "", "", "", ""}},
		{"nginx, timeout", 504, `<html>504 Gateway Time-out</html>`, told{504, CodeTimeout, false, "", "", "", ""}},
		{"nginx, lost", 499, ``, told{502, CodeStatus, false, "", "", "", ""}},
		{"broken", 500, `{"error":{"message":"rank 3","type":"InternalServerError","code":500}}`,
			told{500, CodeStatus, false, "InternalServerError", "", "500", "rank 3"}},
		{"a code that is a text", 400, `{"error":{"message":"x","code":"` + long + `"}}`, told{400, CodeStatus, true, "", "", "", "x"}},
		{"a redirect", 307, ``, told{502, CodeProtocol, false, "", "", "", ""}},
	} {
		if got := whatIsTold(StatusError(c.status, nil, []byte(c.body))); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

const long = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789 and more"

// TestErrorObjectsInStreams: error objects in place of a chunk, whose status only they tell.
func TestErrorObjectsInStreams(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       told
	}{
		{"SGLang, queue full", `{"error":{"object":"error","message":"The request queue is full.","type":"SERVICE_UNAVAILABLE","param":null,"code":503}}`,
			told{503, CodeOverloaded, false, "SERVICE_UNAVAILABLE", "", "503", "The request queue is full."}},
		{"vLLM, flat", `{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}`,
			told{400, CodeReported, true, "BadRequestError", "", "400", "too long"}},
		{"OpenAI, no number", `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
			told{429, CodeReported, true, "insufficient_quota", "", `"insufficient_quota"`, "You exceeded your current quota."}},
		{"Anthropic, overloaded", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			told{529, CodeOverloaded, false, "overloaded_error", "", "", "Overloaded"}},
		{"TGI", `{"error":"Request failed during generation","error_type":"generation"}`,
			told{500, CodeReported, false, "generation", "", "", "Request failed during generation"}},
		{"a key", `{"error":{"message":"no","code":"401"}}`, told{502, CodeAuth, false, "", "", `"401"`, "no"}},
		{"OpenRouter", `{"error":{"code":"server_error","message":"Provider disconnected"}}`,
			told{500, CodeReported, false, "", "", `"server_error"`, "Provider disconnected"}},
		{"a timeout", `{"error":{"message":"too late","code":504}}`, told{504, CodeTimeout, false, "", "", "504", "too late"}},
	} {
		object := ErrorObject([]byte(c.body))
		if !jsonx.IsObject(object) {
			t.Errorf("%s: no error object in it", c.name)
			continue
		}
		if got := whatIsTold(ReportedError(object)); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestRetryHeadersPass(t *testing.T) {
	header := http.Header{"Retry-After": {"7"}, "Retry-After-Ms": {"6500"}, "X-Should-Retry": {"true"}, "Server": {"x"}}
	got := StatusError(429, header, nil).Retry
	if len(got) != 3 || got.Get("Retry-After") != "7" || got.Get("Retry-After-Ms") != "6500" || got.Get("X-Should-Retry") != "true" {
		t.Errorf("got %v", got)
	}
	if got := StatusError(429, http.Header{}, nil).Retry; got != nil {
		t.Errorf("out of nothing: %v", got)
	}
}
