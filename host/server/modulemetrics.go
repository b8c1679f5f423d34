package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/turnkey-parsers/turnkey/host/registry"
)

// moduleMetrics tells of the registry's modules when it is asked. A built-in
// module that nobody uses is left out.
type moduleMetrics struct {
	registry *registry.Registry

	info, requests, sessions, instances, faults, replays                            *prometheus.Desc
	swaps, rollbacks, quarantines, quarantined, compared, unlike, refused, draining *prometheus.Desc
}

func newModuleMetrics(r *registry.Registry) *moduleMetrics {
	version := []string{"module", "state", "version", "sha256", "engine", "origin"}
	state := []string{"module", "state", "sha256"}
	module := []string{"module"}
	desc := func(name, help string, labels []string) *prometheus.Desc {
		return prometheus.NewDesc("turnkey_module_"+name, help, labels, nil)
	}
	return &moduleMetrics{
		registry:    r,
		info:        desc("info", "Versions of modules that are open; state: live, shadow, canary, built-in.", version),
		requests:    desc("requests", "Requests that use a version.", state),
		sessions:    desc("sessions", "Parse sessions that are open.", state),
		instances:   desc("instances", "Instances that are alive.", state),
		faults:      desc("faults_total", "Faults of a version.", state),
		replays:     desc("replays_total", "Sessions rebuilt after another one's fault.", state),
		swaps:       desc("swaps_total", "Changes of a module's live version.", module),
		rollbacks:   desc("rollbacks_total", "Rollbacks, and trials that ended badly.", module),
		quarantines: desc("quarantines_total", "Versions put out of service for their faults.", module),
		quarantined: desc("quarantined", "1 while a version of the module is out of service.", module),
		compared:    desc("trial_answers_total", "Answers of which a version on trial was compared with the live one.", module),
		unlike:      desc("trial_differences_total", "Answers that a version on trial parsed differently.", module),
		draining:    desc("draining", "Versions that were replaced and still have requests.", module),
		refused:     desc("files_refused", "Files of the modules folder that are not loaded.", nil),
	}
}

func (m *moduleMetrics) Describe(c chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, c) }

func (m *moduleMetrics) Collect(c chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, n uint64, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		c <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	version := func(name, state string, v *registry.Version) {
		gauge(m.info, 1, name, state, v.Version, v.SHA256, v.Engine, v.Origin)
		gauge(m.requests, v.Requests, name, state, v.SHA256)
		gauge(m.sessions, v.Sessions, name, state, v.SHA256)
		gauge(m.instances, v.Instances, name, state, v.SHA256)
		counter(m.faults, v.Faults, name, state, v.SHA256)
		counter(m.replays, v.Replays, name, state, v.SHA256)
	}
	gauge(m.refused, len(m.registry.Refused()))
	for _, mod := range m.registry.Modules() {
		if mod.BuiltIn {
			if mod.Live.Since != nil {
				version(mod.Name, "built-in", mod.Live)
			}
			continue
		}
		if mod.Live != nil {
			version(mod.Name, "live", mod.Live)
		}
		if mod.Trial != nil {
			version(mod.Name, string(mod.Trial.Mode), &mod.Trial.Version)
		}
		quarantined := 0
		if mod.Quarantine != nil {
			quarantined = 1
		}
		gauge(m.quarantined, quarantined, mod.Name)
		gauge(m.draining, int(mod.Draining), mod.Name)
		counter(m.swaps, mod.Swaps, mod.Name)
		counter(m.rollbacks, mod.Rollbacks, mod.Name)
		counter(m.quarantines, mod.Quarantines, mod.Name)
		counter(m.compared, mod.Compared, mod.Name)
		counter(m.unlike, mod.Different, mod.Name)
	}
}
