package openai

import (
	"strconv"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// kind is a type that a member of a request must have. Null counts as absent.
type kind uint8

const (
	isBool kind = iota
	isString
	isStrings
	isNumber
	isInt
	isWhole // of any size
	isInt32
	isUint32
	isUint64
	isUint32s
	isObject
	isList
)

var kindNames = [...]string{
	isBool:    "true or false",
	isString:  "a string",
	isStrings: "a list of strings",
	isNumber:  "a number",
	isInt:     "a whole number",
	isWhole:   "a whole number",
	isInt32:   "a whole number of 32 bits",
	isUint32:  "a whole number from 0 to 4294967295",
	isUint64:  "a whole number from 0 to 18446744073709551615",
	isUint32s: "a list of token ids",
	isObject:  "an object",
	isList:    "a list",
}

func (k kind) String() string { return kindNames[k] }

func (k kind) fits(v Raw) bool {
	switch k {
	case isBool:
		_, ok := jsonx.Bool(v)
		return ok
	case isString:
		return jsonx.IsString(v)
	case isNumber:
		return v[0] == '-' || v[0] >= '0' && v[0] <= '9'
	case isInt:
		_, ok := jsonx.Int(v)
		return ok
	case isWhole:
		return strings.Trim(strings.TrimPrefix(string(v), "-"), "0123456789") == "" && v[len(v)-1] != '-'
	case isInt32:
		_, err := strconv.ParseInt(string(v), 10, 32)
		return err == nil
	case isUint32:
		_, err := strconv.ParseUint(string(v), 10, 32)
		return err == nil
	case isUint64:
		_, err := strconv.ParseUint(string(v), 10, 64)
		return err == nil
	case isStrings:
		return each(v, isString)
	case isUint32s:
		return each(v, isUint32)
	case isObject:
		return jsonx.IsObject(v)
	case isList:
		return jsonx.IsArray(v)
	}
	return false
}

func each(v Raw, k kind) bool {
	if !jsonx.IsArray(v) {
		return false
	}
	for a := jsonx.ArrayOf(v); ; {
		e, ok := a.Next()
		if !ok {
			return true
		}
		if !k.fits(e) {
			return false
		}
	}
}

// memberKinds are the types of a request's members that are checked by type
// alone. All others are read one by one, or not looked at.
var memberKinds = map[string]kind{
	"model":                      isString,
	"messages":                   isList,
	"stream":                     isBool,
	"stream_options":             isObject,
	"tools":                      isList,
	"parallel_tool_calls":        isBool,
	"response_format":            isObject,
	"n":                          isInt,
	"max_tokens":                 isInt,
	"max_completion_tokens":      isInt,
	"stop_token_ids":             isUint32s,
	"ignore_eos":                 isBool,
	"include_stop_str_in_output": isBool,
	"skip_special_tokens":        isBool,
	"logprobs":                   isBool,
	"add_generation_prompt":      isBool,
	"continue_final_message":     isBool,
	"include_reasoning":          isBool,
	"top_logprobs":               isInt,
	"temperature":                isNumber,
	"top_p":                      isNumber,
	"top_k":                      isInt,
	"min_p":                      isNumber,
	"min_tokens":                 isInt,
	"presence_penalty":           isNumber,
	"frequency_penalty":          isNumber,
	"repetition_penalty":         isNumber,
	"seed":                       isWhole,
	"logit_bias":                 isObject,
	"reasoning_effort":           isString,
	"chat_template_kwargs":       isObject,
	"user":                       isString,
	"nvext":                      isObject,
}

// nvextKinds are the members that nvext may have.
var nvextKinds = map[string]kind{
	"extra_fields":         isStrings,
	"annotations":          isStrings,
	"greed_sampling":       isBool,
	"use_raw_prompt":       isBool,
	"backend_instance_id":  isUint64,
	"token_data":           isUint32s,
	"prefill_worker_id":    isUint64,
	"decode_worker_id":     isUint64,
	"dp_rank":              isUint32,
	"prefill_dp_rank":      isUint32,
	"max_thinking_tokens":  isUint32,
	"cache_salt":           isString,
	"metadata_upload":      isObject,
	"request_timestamp_ms": isNumber,
	"agent_hints":          isObject,
	"router":               isObject,
	"routing_constraints":  isObject,
}

// nvextNested are the members of nvext's objects that are read by someone.
var nvextNested = map[string]map[string]kind{
	"metadata_upload": {"url": isString},
	"agent_hints": {
		"priority": isInt32, "strict_priority": isUint32, "osl": isUint32,
		"speculative_prefill": isBool, "latency_sensitivity": isNumber,
	},
	"router":              {"ttft_target": isNumber, "itl_target": isNumber},
	"routing_constraints": {"required_taints": isList, "preferred_taints": isList},
}
