package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/scenario"
)

func TestListHasEveryStatement(t *testing.T) {
	tab, err := newTable(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(tab.rows) != 108+17 || tab.byID["T1"] == nil || tab.byID["T108"] == nil || tab.byID["FS-01"] == nil || tab.byID["FS-17"] == nil {
		t.Errorf("%d statements", len(tab.rows))
	}
	for _, bad := range []string{"", "- T1: a\n- T1: b\n"} {
		if _, err := newTable(bad); err == nil {
			t.Errorf("%q is no list", bad)
		}
	}
}

func TestNumbersInNames(t *testing.T) {
	for name, want := range map[string]string{
		"TestT29_T30_Calls": "T29 T30", "TestH5_T104_Idle": "T104", "TestT102DisconnectCancels": "T102", "TestT61_FS15_Fault": "T61 FS-15",
		"T30_a_false_alarm": "T30", "TestText": "", "TestTokenT5": "", "TestW11_Table": "",
	} {
		if got := strings.Join(findIDs(inName, name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := idsIn("FS-14 (b) (c), T20, W5, FS-01, T20"); !slices.Equal(got, []string{"FS-14", "T20", "FS-01"}) {
		t.Errorf("%q", got)
	}
}

const events = `
{"Action":"run","Package":"m/a","Test":"TestT1_T2"}
{"Action":"fail","Package":"m/a","Test":"TestT1_T2/T2_one"}
{"Action":"pass","Package":"m/a","Test":"TestT1_T2/other"}
{"Action":"pass","Package":"m/a","Test":"TestT1_T2"}
{"Action":"pass","Package":"m/c","Test":"TestScenarios/native/core/one"}
{"Action":"skip","Package":"m/c","Test":"TestScenarios/wasm/core/one"}
{"Action":"pass","Package":"m/c","Test":"TestScenarios"}
{"Action":"pass","Package":"m/c"}`

func TestTable(t *testing.T) {
	files := &scenario.File{Name: "core.json", Scenarios: []scenario.Scenario{{Name: "one", Source: "T3, T4", Runs: []string{"stream"}}}}
	rows := "- T1: a\n- T2: b\n- T3: c\n- T4: d\n"
	for _, c := range []struct {
		name, list, events string
		ok                 bool
		want               string
	}{
		{"a failing one", rows, events, false, "T2    FAIL    b"},
		{"one without a proof", rows + "- T5: e\n", strings.Replace(events, `"fail"`, `"pass"`, 1), false, "T5    missing e"},
		{"one that is not stated", "- T1: a\n- T2: b\n- T3: c\n", strings.Replace(events, `"fail"`, `"pass"`, 1), false, "also: core/one (stream) names T4, which is not stated"},
		{"all", rows, strings.NewReplacer(`"fail"`, `"pass"`, `"skip"`, `"pass"`).Replace(events), true, "T3    pass    core/one (stream)\n"},
		{"a skipped run", "- T3: c\n- T4: d\n", `{"Action":"skip","Package":"m/c","Test":"TestScenarios/wasm/core/one"}`, false, "T4    missing d"},
		{"a package that does not build", "- T1: a\n", `{"ImportPath":"m/a","Action":"build-output","Output":"a.go:1: no\n"}{"Action":"fail","Package":"m/b","FailedBuild":"m/a"}`, false, "a.go:1: no\nalso: b does not build\n"},
		{"a package that fails by itself", "- T1: a\n", `{"Action":"fail","Package":"m/a"}`, false, "also: a\n"},
		{"an engine that did not run", "- T1: a\n", `{"Action":"pass","Package":"m/a","Test":"TestT1"}{"Action":"skip","Package":"m/c","Test":"TestScenarios/wasm"}`, false, "also: TestScenarios/wasm (skip)\n"},
	} {
		tab, err := newTable(c.list)
		if err != nil {
			t.Fatal(err)
		}
		tab.addScenarios(files)
		if err := tab.readResults(strings.NewReader(c.events)); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if ok := tab.printRows(&out, false); ok != c.ok || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v, want %q in\n%s", c.name, ok, c.want, out.String())
		}
	}
}
