//! A parser in Rust for the made-up Birch grammar (see the Go package birch).
//!
//! It goes byte by byte and keeps no text: a marker that is cut is known by how much
//! of it has come.
#![no_std]

use turnkey::{Channel, Kind, Open, Parser, Says};

const MARKERS: [&[u8]; 4] = [b"<think>", b"</think>", b"<call>", b"</call>"];
const THINK: usize = 0;
const END_THINK: usize = 1;
const CALL: usize = 2;

#[derive(PartialEq, Eq, Clone, Copy)]
enum State {
    Prose,
    Name,
    Args,
    Behind,
    Broken,
}

struct Birch {
    tools: bool,
    thought: bool,
    state: State,
    matched: usize,
    alive: [bool; 4],
    name: u32,
    args: u32,
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Birch {
    fn say(&self, says: &mut Says, to: u32) {
        match (self.state, self.thought) {
            (State::Prose, true) => says.reasoning(to),
            (State::Prose, false) => says.text(to),
            _ => says.skip(to),
        }
    }

    fn marker(&mut self, says: &mut Says, id: usize, behind: u32) {
        if id >= CALL && !self.tools {
            return; // nothing is a call: it is text
        }
        if id <= CALL && self.state != State::Prose {
            return;
        }
        self.say(says, behind - self.matched as u32);
        says.skip(behind);
        match id {
            THINK => self.thought = true,
            END_THINK => self.thought = false,
            CALL => {
                self.state = State::Name;
                self.name = behind;
            }
            _ => self.state = State::Prose,
        }
    }

    fn look(&mut self, says: &mut Says, c: u8, at: u32) {
        let mut alive = [false; 4];
        for (i, m) in MARKERS.iter().enumerate() {
            alive[i] = (self.matched == 0 || self.alive[i]) && m[self.matched] == c;
        }
        if !alive.contains(&true) {
            let again = self.matched > 0 && c == b'<';
            self.matched = 0;
            if again {
                self.look(says, c, at);
            }
            return;
        }
        self.matched += 1;
        self.alive = alive;
        for (i, m) in MARKERS.iter().enumerate() {
            if alive[i] && m.len() == self.matched {
                self.marker(says, i, at + 1);
                self.matched = 0;
                return;
            }
        }
    }

    /// One byte of the arguments.
    fn json(&mut self, says: &mut Says, c: u8, at: u32) {
        if self.in_string {
            match (self.escaped, c) {
                (true, _) => self.escaped = false,
                (false, b'\\') => self.escaped = true,
                (false, b'"') => self.in_string = false,
                _ => {}
            }
            return;
        }
        match c {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    says.args(self.args, at + 1);
                    says.call_end();
                    says.skip(at + 1);
                    self.state = State::Behind;
                }
            }
            _ => {}
        }
    }
}

impl Parser for Birch {
    fn open(open: &Open) -> Option<Self> {
        if open.parser != b"birch" {
            return None;
        }
        Some(Birch {
            tools: open.tools > 0,
            thought: open.channel == Channel::Reasoning,
            state: State::Prose,
            matched: 0,
            alive: [false; 4],
            name: 0,
            args: 0,
            depth: 0,
            in_string: false,
            escaped: false,
        })
    }

    fn step(&mut self, says: &mut Says, mut at: u32, text: &[u8]) {
        self.args = at; // what came before is said, by this parser or for it
        for &c in text {
            if self.state == State::Name && c == b'{' && at > self.name {
                says.call(self.name, at);
                says.skip(at);
                self.state = State::Args;
                self.args = at;
                self.depth = 0;
            } else if self.state == State::Name && (c == b'{' || c == b'<') {
                self.state = State::Broken;
            }
            match self.state {
                State::Name => {}
                State::Args => self.json(says, c, at),
                _ => self.look(says, c, at),
            }
            at += 1;
        }
        match self.state {
            State::Args => {
                if at > self.args {
                    says.args(self.args, at);
                    says.skip(at);
                }
                if self.in_string && !self.escaped {
                    says.watch(Kind::Args, b"\"\\");
                }
            }
            State::Name => {} // held, until "{" or a marker
            _ => {
                self.say(says, at - self.matched as u32);
                if self.state == State::Prose && self.matched == 0 {
                    says.watch(if self.thought { Kind::Reasoning } else { Kind::Text }, b"<");
                }
            }
        }
    }

    fn end(&mut self, says: &mut Says, at: u32, _reason: u32) {
        says.call_drop();
        self.say(says, at);
    }
}

turnkey::export!(Birch, 64, "../../birch/manifest.json", "../../birch/testdata/cases.json");
