/* A parser in C for the made-up Birch grammar:
 *
 *     turn    = { text | thought | call } ;
 *     thought = "<think>" text "</think>" ;
 *     call    = "<call>" NAME "{" … "}" "</call>" ;       NAME up to the first "{"
 *
 * It goes byte by byte and keeps no text: a marker that is cut is known by how much
 * of it has come.
 */
#include "turnkey.h"

#define MARKERS 4
static const char *const markers[MARKERS] = {"<think>", "</think>", "<call>", "</call>"};
enum { THINK, END_THINK, CALL, END_CALL };

enum state { PROSE, NAME, ARGS, BEHIND, BROKEN };

struct tk_parser {
  struct tk_session tk;
  enum state state;
  u8 thought;
  u8 matched;  /* bytes of a marker so far; it begins with "<" and has no other */
  u8 alive;    /* which markers it may still become, one bit each */
  u32 name;    /* where the open call's name begins */
  u32 args;    /* where the fragment begins that is not said yet */
  u32 depth;   /* of braces and brackets */
  u8 in_string, escaped;
};

static int tk_start(struct tk_parser *p, const u8 *name, u32 len) {
  p->thought = p->tk.channel == TK_THOUGHT;
  return tk_is(name, len, "birch");
}

/* Text up to offset to belongs to the channel. */
static void say(struct tk_parser *p, u32 to) {
  if (p->state != PROSE) tk_skip(&p->tk, to);
  else if (p->thought) tk_reasoning(&p->tk, to);
  else tk_text(&p->tk, to);
}

static void marker(struct tk_parser *p, int id, u32 behind) {
  struct tk_session *s = &p->tk;
  if (id >= CALL && s->tools == 0) return; /* nothing is a call: it is text */
  if (id != END_CALL && p->state != PROSE) return;
  say(p, behind - p->matched);
  tk_skip(s, behind);
  switch (id) {
  case THINK: p->thought = 1; break;
  case END_THINK: p->thought = 0; break;
  case CALL: p->state = NAME; p->name = behind; break;
  case END_CALL: p->state = PROSE;
  }
}

/* One byte of prose, of a name, or of what stands behind arguments, at offset at. */
static void look(struct tk_parser *p, u8 c, u32 at) {
  u8 alive = 0;
  for (int i = 0; i < MARKERS; i++)
    if ((p->matched == 0 || p->alive & 1 << i) && (u8)markers[i][p->matched] == c) alive |= 1 << i;
  if (!alive) {
    p->matched = p->alive = 0;
    if (c == '<') look(p, c, at);
    return;
  }
  p->matched++;
  p->alive = alive;
  for (int i = 0; i < MARKERS; i++)
    if (alive & 1 << i && markers[i][p->matched] == 0) {
      marker(p, i, at + 1);
      p->matched = p->alive = 0;
    }
}

/* One byte of the arguments. They are said up to and with it. */
static void json(struct tk_parser *p, u8 c, u32 at) {
  if (p->in_string) {
    if (p->escaped) p->escaped = 0;
    else if (c == '\\') p->escaped = 1;
    else if (c == '"') p->in_string = 0;
    return;
  }
  if (c == '"') p->in_string = 1;
  if (c == '{' || c == '[') p->depth++;
  if ((c == '}' || c == ']') && --p->depth == 0) {
    tk_args(&p->tk, p->args, at + 1 - p->args);
    tk_call_end(&p->tk);
    tk_skip(&p->tk, at + 1);
    p->state = BEHIND;
  }
}

static void tk_step(struct tk_parser *p, const u8 *text, u32 len) {
  u32 at = p->tk.seen;
  p->args = at; /* what came before is said, by this parser or for it */
  for (u32 i = 0; i < len; i++, at++) {
    if (p->state == NAME && text[i] == '{' && at > p->name) {
      tk_call(&p->tk, p->name, at - p->name);
      tk_skip(&p->tk, at);
      p->state = ARGS;
      p->args = at;
      p->depth = 0;
    } else if (p->state == NAME && (text[i] == '{' || text[i] == '<')) {
      p->state = BROKEN;
    }
    if (p->state == ARGS) json(p, text[i], at);
    else if (p->state != NAME) look(p, text[i], at);
  }
  switch (p->state) {
  case NAME: break; /* held */
  case ARGS:
    if (at > p->args) { tk_args(&p->tk, p->args, at - p->args); tk_skip(&p->tk, at); }
    if (p->in_string && !p->escaped) tk_watch(&p->tk, TK_ARGS, "\"\\");
    break;
  default:
    say(p, at - p->matched);
    if (p->state == PROSE && !p->matched) tk_watch(&p->tk, p->thought ? TK_REASONING : TK_TEXT, "<");
  }
}

static void tk_end(struct tk_parser *p, u32 reason) {
  (void)reason;
  tk_call_drop(&p->tk);
  say(p, p->tk.seen);
}

TK_FILES("manifest.json", "cases.json")

#define TURNKEY_MAIN
#include "turnkey.h"
