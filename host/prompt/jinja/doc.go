// Package jinja renders chat templates: the part of Jinja 2.3 that model
// repositories use, in the setting in which Hugging Face's tokenizers render it
// (immutable sandbox, trim_blocks, lstrip_blocks, loop controls, generation blocks,
// tojson as json.dumps without ASCII escapes, raise_exception, strftime_now).
// The prompt comes out byte for byte as Python writes it: order of members,
// spelling of numbers, representation of None, lists and mappings included.
//
// A template is a file from elsewhere, and what it is given comes from clients. A
// rendering is bounded by Limits, however the template recurses, loops or
// multiplies; a breach is a *LimitError and costs that rendering only.
//
// Left out is what has no meaning without a template loader (extends, include,
// import) and what is not deterministic (random, lipsum). Blocks are rendered where
// they stand.
//
// Sources: Jinja 3.1 "Template Designer Documentation" and its grammar as the
// reference implementation reads it; transformers' chat template utilities for the
// environment.
package jinja
