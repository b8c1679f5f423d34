/* turnkey.h: write a parser module in C, against chunk ABI 1.0 (abi/ABI.md).
 *
 * One file, no library, no allocator. A parser defines
 *
 *     struct tk_parser { struct tk_session tk; ...its own state... };
 *     void tk_step(struct tk_parser *p, const u8 *text, u32 len);   the text from p->tk.seen on
 *     void tk_end(struct tk_parser *p, u32 reason);                 nothing follows
 *     int tk_start(struct tk_parser *p, const u8 *name, u32 len);   a session of the parser of that name; 0: there is none
 *     TK_FILES("manifest.json", "cases.json")                       the manifest, and cases for the host to run
 *
 * and includes this file twice: at the top for the types, and at the end with
 * TURNKEY_MAIN defined for the exports. Events go out through the tk_… functions
 * below; p->tk.end is how far the text is accounted for.
 *
 *     clang --target=wasm32 -O2 -nostdlib -mbulk-memory -Wl,--no-entry -o parser.wasm parser.c
 */
#ifndef TURNKEY_H
#define TURNKEY_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define TK_ABI 0x10000u /* major << 16 | minor */

enum tk_kind {
  TK_COMMIT, TK_TEXT, TK_REASONING, TK_CALL, TK_CALL_ID, TK_ARGS, TK_OPEN, TK_KEY, TK_VALUE,
  TK_CLOSE, TK_CALL_END, TK_CALL_DROP, TK_ERROR, TK_STATE, TK_WATCH, TK_LITERAL, TK_NOTE
};
enum tk_channel { TK_UNKNOWN, TK_CONTENT, TK_THOUGHT, TK_RESPONSE };
enum tk_mode { TK_NATIVE, TK_GUIDED_REQUIRED, TK_GUIDED_NAMED };
enum tk_finish_reason { TK_FINISH_UNKNOWN, TK_FINISH_EOS, TK_FINISH_LENGTH, TK_FINISH_USER_STOP, TK_FINISH_TRANSPORT, TK_FINISH_CANCELLED };
enum { TK_FATAL = 1, TK_MALFORMED = 2, TK_UNSOUND = 1, TK_NEW_BLOCK = 1, TK_PAYLOAD = 2 };

struct tk_event { u8 kind, flags; u16 call; u32 start, len, end; };

/* What the host said of a session, and how far it has come. */
struct tk_session {
  u32 id, used;
  u32 channel, mode, flags, tools;
  u32 seen;  /* bytes that were given so far */
  u32 end;   /* accounted for */
  u16 calls; /* opened so far */
  u8 open;   /* the last of them is open */
};

struct tk_parser;
extern const u8 tk_manifest_start[], tk_manifest_end[];

/* Puts the manifest into the module's data and, with the cases, into the custom
 * sections from which a host reads them without running the module. The files are
 * looked for in the -I folders. */
#define TK_FILES(manifest, cases)                                  \
  __asm__(".section .rodata.tk_manifest,\"\",@\n"                  \
          ".globl tk_manifest_start\n.globl tk_manifest_end\n"     \
          ".type tk_manifest_start,@object\n.type tk_manifest_end,@object\n" \
          "tk_manifest_start:\n.incbin \"" manifest "\"\n"          \
          ".size tk_manifest_start, .-tk_manifest_start\n" \
          "tk_manifest_end:\n.byte 0\n.size tk_manifest_end, 1\n" \
          ".section .custom_section.turnkey.manifest,\"\",@\n.incbin \"" manifest "\"\n" \
          ".section .custom_section.turnkey.cases,\"\",@\n.incbin \"" cases "\"\n");

#ifndef TK_EVENTS
#define TK_EVENTS 8192 /* an answer */
#endif

#define TK_API __attribute__((unused)) static

static struct tk_event tk_events[TK_EVENTS];
static u32 tk_count;

/* Clang makes calls of these out of loops and assignments. */
void *memcpy(void *to, const void *from, unsigned long n) { u8 *t = to; const u8 *f = from; while (n--) *t++ = *f++; return to; }
void *memset(void *to, int c, unsigned long n) { u8 *t = to; while (n--) *t++ = (u8)c; return to; }

TK_API void tk_emit(struct tk_session *s, u8 kind, u8 flags, u32 start, u32 len) {
  if (tk_count == TK_EVENTS) __builtin_trap();
  u16 call = s->calls ? s->calls - 1 : 0;
  tk_events[tk_count++] = (struct tk_event){kind, flags, call, start, len, s->end};
}

/* Whether a name is this one. */
TK_API int tk_is(const u8 *name, u32 len, const char *this) {
  u32 i = 0;
  while (i < len && this[i] && (u8)this[i] == name[i]) i++;
  return i == len && !this[i];
}

/* Prose or structure up to offset to, from where the text is accounted for. */
TK_API void tk_text(struct tk_session *s, u32 to) { u32 from = s->end; if (to > from) { s->end = to; tk_emit(s, TK_TEXT, 0, from, to - from); } }
TK_API void tk_reasoning(struct tk_session *s, u32 to) { u32 from = s->end; if (to > from) { s->end = to; tk_emit(s, TK_REASONING, 0, from, to - from); } }
TK_API void tk_skip(struct tk_session *s, u32 to) { if (to > s->end) { s->end = to; tk_emit(s, TK_COMMIT, 0, 0, 0); } }

/* The parts of a call, as spans; account for them with tk_skip. */
TK_API void tk_call(struct tk_session *s, u32 start, u32 len) { s->calls++; s->open = 1; tk_emit(s, TK_CALL, 0, start, len); }
TK_API void tk_args(struct tk_session *s, u32 start, u32 len) { tk_emit(s, TK_ARGS, 0, start, len); }
TK_API void tk_call_end(struct tk_session *s) { tk_emit(s, TK_CALL_END, 0, 0, 0); s->open = 0; }
TK_API void tk_call_unsound(struct tk_session *s) { tk_emit(s, TK_CALL_END, TK_UNSOUND, 0, 0); s->open = 0; }
TK_API void tk_call_drop(struct tk_session *s) { if (s->open) { tk_emit(s, TK_CALL_DROP, 0, 0, 0); s->open = 0; } }

/* Until a byte of set comes, all text is of that kind. Last in a step, and only if
 * nothing is held back. */
TK_API void tk_watch(struct tk_session *s, u8 kind, const char *set) {
  u8 b[8];
  u32 n = 0;
  while (n < 8 && set[n]) { b[n] = (u8)set[n]; n++; }
  for (u32 i = n; i < 8; i++) b[i] = n ? b[n - 1] : 0xff;
  tk_emit(s, TK_WATCH, kind, b[0] | b[1] << 8 | b[2] << 16 | (u32)b[3] << 24, b[4] | b[5] << 8 | b[6] << 16 | (u32)b[7] << 24);
}
#endif /* TURNKEY_H */

#ifdef TURNKEY_MAIN
#ifndef TK_SESSIONS
#define TK_SESSIONS 64 /* at once; the host opens more instances for more */
#endif
#define TK_EXPORT(name) __attribute__((export_name(name)))

static struct tk_parser tk_parsers[TK_SESSIONS];

/* struct tk_parser begins with its tk_session. */
static struct tk_session *tk_of(struct tk_parser *p) { return (struct tk_session *)p; }

static struct tk_parser *tk_find(u32 id) {
  for (u32 i = 0; i < TK_SESSIONS; i++)
    if (tk_of(&tk_parsers[i])->used && tk_of(&tk_parsers[i])->id == id) return &tk_parsers[i];
  return 0;
}

static u64 tk_region(const void *p, u32 n) { return n ? (u64)(u32)p << 32 | n : 0; }
static u64 tk_answer(void) { u32 n = tk_count; tk_count = 0; return tk_region(tk_events, n * sizeof(struct tk_event)); }

TK_EXPORT("tk_abi") u32 tk_abi(void) { return TK_ABI; }

TK_EXPORT("tk_manifest") u64 tk_manifest(void) { return tk_region(tk_manifest_start, (u32)(tk_manifest_end - tk_manifest_start)); }

/* One room for inputs at the end of memory; it only grows. */
TK_EXPORT("tk_alloc") void *tk_alloc(u32 size) {
  extern u8 __heap_base;
  u32 base = ((u32)&__heap_base + 7) & ~7u, have = (u32)__builtin_wasm_memory_size(0) << 16;
  if (size > have - base && __builtin_wasm_memory_grow(0, ((size - (have - base)) >> 16) + 1) == (unsigned long)-1) __builtin_trap();
  return (void *)base;
}

static u32 tk_u32(const u8 *p) { return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24; }

TK_EXPORT("tk_open") u64 tk_open(u32 id, const u8 *p, u32 len) {
  struct tk_parser *free = 0;
  for (u32 i = 0; i < TK_SESSIONS && !free; i++)
    if (!tk_of(&tk_parsers[i])->used) free = &tk_parsers[i];
  if (!free) { /* more sessions than the module has room for */
    struct tk_session none = {0};
    tk_emit(&none, TK_ERROR, TK_FATAL, 7, 0);
    return tk_answer();
  }
  memset(free, 0, sizeof *free);
  struct tk_session *s = tk_of(free);
  s->id = id;
  s->used = 1;
  const u8 *name = p;
  u32 name_len = 0;
  for (u32 at = 0; at + 8 <= len;) {
    u32 tag = p[at] | p[at + 1] << 8, n = tk_u32(p + at + 4);
    const u8 *v = p + at + 8;
    if (n > len - at - 8) { tk_emit(s, TK_ERROR, TK_FATAL, 5, 0); return tk_answer(); }
    if (tag == 1) { name = v; name_len = n; }
    if (tag == 2 && n == 1) s->channel = v[0];
    if (tag == 3 && n == 1) s->mode = v[0];
    if (tag == 5) s->tools++;
    if (tag == 7 && n == 4) s->flags = tk_u32(v);
    at += 8 + n;
  }
  if (!tk_start(free, name, name_len)) tk_emit(s, TK_ERROR, TK_FATAL, 4, 0);
  return tk_answer();
}

TK_EXPORT("tk_push") u64 tk_push(u32 id, u32 offset, u32 back, const u8 *p, u32 len) {
  struct tk_parser *q = tk_find(id);
  if (!q) __builtin_trap();
  struct tk_session *s = tk_of(q);
  if (offset > s->seen) s->end = s->seen = offset; /* a WATCH left bytes out */
  tk_step(q, p + back, len - back);
  s->seen += len - back;
  return tk_answer();
}

TK_EXPORT("tk_finish") u64 tk_finish(u32 id, u32 offset, u32 reason) {
  struct tk_parser *q = tk_find(id);
  if (!q) __builtin_trap();
  struct tk_session *s = tk_of(q);
  if (offset > s->seen) s->end = s->seen = offset;
  tk_end(q, reason);
  return tk_answer();
}

TK_EXPORT("tk_close") void tk_close(u32 id) {
  struct tk_parser *q = tk_find(id);
  if (q) tk_of(q)->used = 0;
}
#endif /* TURNKEY_MAIN */
