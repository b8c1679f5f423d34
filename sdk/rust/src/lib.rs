//! Write a turnkey parser module in Rust, against chunk ABI 1.0 (`abi/ABI.md`).
//!
//! No standard library, no allocator. A parser is a type that implements [`Parser`];
//! [`export!`] makes the module's exports. A parser points at spans of the text by
//! absolute offsets and need not keep any of it.
//!
//! ```text
//! rustc --edition 2021 --crate-type rlib --crate-name turnkey --target wasm32-unknown-unknown -C opt-level=3 lib.rs
//! rustc --edition 2021 --crate-type cdylib --target wasm32-unknown-unknown -C opt-level=3 -C panic=abort --extern turnkey=libturnkey.rlib parser.rs
//! ```
#![no_std]

/// The ABI version: `major << 16 | minor`.
pub const ABI: u32 = 0x10000;

/// The channel that the rendered prompt left open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    Unknown,
    Content,
    Reasoning,
    Response,
}

/// What the open block says of a session.
pub struct Open<'a> {
    /// The parser's name.
    pub parser: &'a [u8],
    pub channel: Channel,
    /// 0 native, 1 guided required, 2 guided named.
    pub mode: u8,
    pub flags: u32,
    /// Tools that the request offers; without any, nothing is a call.
    pub tools: u32,
}

impl<'a> Open<'a> {
    /// Reads an open block; `None` if it can't be read.
    pub fn read(mut b: &'a [u8]) -> Option<Open<'a>> {
        let mut open = Open { parser: b"", channel: Channel::Unknown, mode: 0, flags: 0, tools: 0 };
        while !b.is_empty() {
            let head = b.get(..8)?;
            let tag = u16::from_le_bytes([head[0], head[1]]);
            let len = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            let v = b.get(8..8usize.checked_add(len)?)?;
            b = &b[8 + len..];
            match (tag, v.len()) {
                (1, _) => open.parser = v,
                (2, 1) => {
                    open.channel = match v[0] {
                        1 => Channel::Content,
                        2 => Channel::Reasoning,
                        3 => Channel::Response,
                        _ => Channel::Unknown,
                    }
                }
                (3, 1) => open.mode = v[0],
                (5, _) => open.tools += 1,
                (7, 4) => open.flags = u32::from_le_bytes([v[0], v[1], v[2], v[3]]),
                _ => {}
            }
        }
        Some(open)
    }
}

/// One record of an answer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Event {
    kind: u8,
    flags: u8,
    call: u16,
    start: u32,
    len: u32,
    end: u32,
}

const NOTHING: Event = Event { kind: 0, flags: 0, call: 0, start: 0, len: 0, end: 0 };
const TEXT: u8 = 1;
const REASONING: u8 = 2;
const CALL: u8 = 3;
const ARGS: u8 = 5;
const CALL_END: u8 = 10;
const CALL_DROP: u8 = 11;
const ERROR: u8 = 12;
const WATCH: u8 = 14;

/// The most events of one answer.
pub const EVENTS: usize = 8192;

/// The kind of text that [`Says::watch`] speaks of.
#[derive(Clone, Copy)]
pub enum Kind {
    Text = TEXT as isize,
    Reasoning = REASONING as isize,
    Args = ARGS as isize,
}

/// What a parser says about its text. Offsets are absolute in the session.
pub struct Says<'a> {
    events: &'a mut Events,
    at: &'a mut Position,
}

/// How far a session has come.
#[derive(Clone, Copy, Default)]
pub struct Position {
    seen: u32,
    end: u32,
    calls: u16,
    open: bool,
}

/// The answer that is being built.
pub struct Events {
    list: [Event; EVENTS],
    len: usize,
}

impl Events {
    pub const fn new() -> Events {
        Events { list: [NOTHING; EVENTS], len: 0 }
    }

    fn region(&mut self) -> u64 {
        let len = core::mem::take(&mut self.len);
        region(self.list.as_ptr() as usize, len * core::mem::size_of::<Event>())
    }
}

impl Default for Events {
    fn default() -> Self {
        Events::new()
    }
}

/// A region as an export returns it.
pub fn region(ptr: usize, len: usize) -> u64 {
    if len == 0 {
        0
    } else {
        (ptr as u64) << 32 | len as u64
    }
}

impl Says<'_> {
    fn emit(&mut self, kind: u8, flags: u8, start: u32, len: u32) {
        let call = self.at.calls.saturating_sub(1);
        self.events.list[self.events.len] = Event { kind, flags, call, start, len, end: self.at.end };
        self.events.len += 1;
    }

    fn prose(&mut self, kind: u8, to: u32) {
        let from = self.at.end;
        if to > from {
            self.at.end = to;
            self.emit(kind, 0, from, to - from);
        }
    }

    /// The text up to offset `to` is visible content.
    pub fn text(&mut self, to: u32) {
        self.prose(TEXT, to)
    }

    /// The text up to offset `to` is chain of thought.
    pub fn reasoning(&mut self, to: u32) {
        self.prose(REASONING, to)
    }

    /// The text up to offset `to` is structure.
    pub fn skip(&mut self, to: u32) {
        if to > self.at.end {
            self.at.end = to;
            self.emit(0, 0, 0, 0);
        }
    }

    /// A call opens; its name is the span from `start` to `end`.
    pub fn call(&mut self, start: u32, end: u32) {
        self.at.calls += 1;
        self.at.open = true;
        self.emit(CALL, 0, start, end - start);
    }

    /// A fragment of the call's arguments, verbatim JSON.
    pub fn args(&mut self, start: u32, end: u32) {
        self.emit(ARGS, 0, start, end - start);
    }

    /// The call is complete.
    pub fn call_end(&mut self) {
        self.emit(CALL_END, 0, 0, 0);
        self.at.open = false;
    }

    /// Takes the open call back, if there is one.
    pub fn call_drop(&mut self) {
        if self.at.open {
            self.emit(CALL_DROP, 0, 0, 0);
            self.at.open = false;
        }
    }

    /// Until one of these bytes comes, all text is of that kind and changes nothing.
    /// Last in a step, and only if nothing is held back.
    pub fn watch(&mut self, kind: Kind, set: &[u8]) {
        let mut b = [set.last().copied().unwrap_or(0xff); 8];
        let n = set.len().min(8);
        b[..n].copy_from_slice(&set[..n]);
        self.emit(WATCH, kind as u8, u32::from_le_bytes([b[0], b[1], b[2], b[3]]), u32::from_le_bytes([b[4], b[5], b[6], b[7]]));
    }
}

/// A parser of one session.
pub trait Parser: Sized {
    /// Starts a session of the parser `open.parser`; `None` if there is none of that
    /// name.
    fn open(open: &Open) -> Option<Self>;
    /// Reads `text`, which stands at offset `at`. What it says after some bytes may
    /// depend on these bytes alone, not on how they were cut.
    fn step(&mut self, says: &mut Says, at: u32, text: &[u8]);
    /// The text ended at offset `at`.
    fn end(&mut self, says: &mut Says, at: u32, reason: u32);
}

/// The sessions of an instance.
pub struct Sessions<P, const N: usize> {
    list: [Option<(u32, Position, P)>; N],
}

impl<P: Parser, const N: usize> Sessions<P, N> {
    const FREE: Option<(u32, Position, P)> = None;

    pub const fn new() -> Self {
        Sessions { list: [Self::FREE; N] }
    }

    pub fn open(&mut self, events: &mut Events, id: u32, block: &[u8]) -> u64 {
        let mut at = Position::default();
        let free = self.list.iter_mut().find(|s| s.is_none());
        let code = match (free, Open::read(block)) {
            (_, None) => 5,
            (None, _) => 7, // more sessions than there is room for
            (Some(free), Some(open)) => match P::open(&open) {
                None => 4,
                parser => {
                    *free = parser.map(|p| (id, at, p));
                    return 0;
                }
            },
        };
        Says { events, at: &mut at }.emit(ERROR, 1, code, 0);
        events.region()
    }

    fn session(&mut self, id: u32) -> &mut (u32, Position, P) {
        self.list.iter_mut().flatten().find(|s| s.0 == id).unwrap()
    }

    pub fn push(&mut self, events: &mut Events, id: u32, offset: u32, back: u32, data: &[u8]) -> u64 {
        let (_, at, parser) = self.session(id);
        at.pass(offset);
        let text = &data[back as usize..];
        let from = at.seen;
        at.seen += text.len() as u32;
        parser.step(&mut Says { events, at }, from, text);
        events.region()
    }

    pub fn finish(&mut self, events: &mut Events, id: u32, offset: u32, reason: u32) -> u64 {
        let (_, at, parser) = self.session(id);
        at.pass(offset);
        let seen = at.seen;
        parser.end(&mut Says { events, at }, seen, reason);
        events.region()
    }

    pub fn close(&mut self, id: u32) {
        for s in self.list.iter_mut() {
            if matches!(s, Some((i, _, _)) if *i == id) {
                *s = None;
            }
        }
    }
}

impl<P: Parser, const N: usize> Default for Sessions<P, N> {
    fn default() -> Self {
        Sessions::new()
    }
}

impl Position {
    /// Goes on behind bytes that a WATCH left out.
    fn pass(&mut self, offset: u32) {
        if offset > self.seen {
            self.seen = offset;
            self.end = offset;
        }
    }
}

/// Room for one input, at the end of memory; it only grows.
///
/// # Safety
/// `base` is the first byte behind the module's data.
#[cfg(target_arch = "wasm32")]
pub unsafe fn alloc(base: usize, size: usize) -> *mut u8 {
    let base = (base + 7) & !7;
    let have = core::arch::wasm32::memory_size(0) << 16;
    if size > have - base && core::arch::wasm32::memory_grow(0, ((size - (have - base)) >> 16) + 1) == usize::MAX {
        core::arch::wasm32::unreachable()
    }
    base as *mut u8
}

/// Makes the exports of a module: its parser type, how many sessions an instance
/// has room for, its manifest and its cases (files, by path from the source).
#[macro_export]
macro_rules! export {
    ($parser:ty, $sessions:expr, $manifest:expr, $cases:expr) => {
        static mut SESSIONS: $crate::Sessions<$parser, $sessions> = $crate::Sessions::new();
        static mut EVENTS: $crate::Events = $crate::Events::new();
        const MANIFEST: &[u8] = include_bytes!($manifest);
        const CASES: &[u8] = include_bytes!($cases);

        #[link_section = "turnkey.manifest"]
        #[used]
        static MANIFEST_SECTION: [u8; MANIFEST.len()] = *include_bytes!($manifest);
        #[link_section = "turnkey.cases"]
        #[used]
        static CASES_SECTION: [u8; CASES.len()] = *include_bytes!($cases);

        extern "C" {
            static __heap_base: u8;
        }

        #[no_mangle]
        pub extern "C" fn tk_abi() -> u32 {
            $crate::ABI
        }
        #[no_mangle]
        pub extern "C" fn tk_manifest() -> u64 {
            $crate::region(MANIFEST.as_ptr() as usize, MANIFEST.len())
        }
        #[no_mangle]
        pub unsafe extern "C" fn tk_alloc(size: usize) -> *mut u8 {
            $crate::alloc(&__heap_base as *const u8 as usize, size)
        }
        #[no_mangle]
        pub unsafe extern "C" fn tk_open(id: u32, ptr: *const u8, len: usize) -> u64 {
            SESSIONS.open(&mut EVENTS, id, core::slice::from_raw_parts(ptr, len))
        }
        #[no_mangle]
        pub unsafe extern "C" fn tk_push(id: u32, offset: u32, back: u32, ptr: *const u8, len: usize) -> u64 {
            SESSIONS.push(&mut EVENTS, id, offset, back, core::slice::from_raw_parts(ptr, len))
        }
        #[no_mangle]
        pub unsafe extern "C" fn tk_finish(id: u32, offset: u32, reason: u32) -> u64 {
            SESSIONS.finish(&mut EVENTS, id, offset, reason)
        }
        #[no_mangle]
        pub unsafe extern "C" fn tk_close(id: u32) {
            SESSIONS.close(id)
        }

        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            core::arch::wasm32::unreachable()
        }
    };
}
