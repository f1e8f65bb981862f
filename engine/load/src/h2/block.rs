//! The header block of a request, written three ways: so that the server keeps its fields, as one that it has kept, and without its table.

use std::ops::Range;

use crate::hpack::{FIRST_DYNAMIC, INDEXED, KEPT, LITERAL, RESIZED, SIZE, entry_size, find, write_integer, write_string};
use crate::request::{Template, Values};

/// What the other side's table holds of a connection's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Nothing yet.
    Empty,
    /// The fields that never change.
    Filled,
    /// There is none, or it is too small: it is not used.
    Unused,
    /// The same, and the next request has to say so.
    TakenAway,
}

impl Table {
    pub fn after_a_request(self) -> Self {
        match self {
            Table::Empty | Table::Filled => Table::Filled,
            Table::Unused | Table::TakenAway => Table::Unused,
        }
    }
}

#[derive(Clone, Debug)]
enum Part {
    /// Of each way a range of `fixed`.
    Fixed([Range<usize>; 3]),
    /// A value that every request fills anew, behind its name.
    Varying { name: Vec<u8>, value: Template },
    /// The length of the body.
    Length,
}

/// The fields of a request.
#[derive(Clone, Debug)]
pub struct Block {
    parts: Vec<Part>,
    fixed: Vec<u8>,
    /// Whether the fixed fields are few enough for every server's table.
    keeps: bool,
}

/// The value of a field.
#[derive(Clone, Debug)]
pub enum Value {
    Template(Template),
    /// The length of the body, in octets.
    Length,
}

impl Block {
    /// `fields` in their order, names in lower case.
    pub fn new(fields: Vec<(Vec<u8>, Value)>) -> Self {
        let kept: Vec<bool> = fields.iter().map(|(name, value)| is_kept(name, value)).collect();
        let mut behind = kept.iter().filter(|is| **is).count();
        let (mut ways, mut size): ([Vec<u8>; 3], usize) = Default::default();
        let (mut parts, mut fixed) = (Vec::new(), Vec::new());
        for ((name, value), kept) in fields.into_iter().zip(kept) {
            let value = match value {
                Value::Length => {
                    parts.extend([flushed(&mut ways, &mut fixed), Part::Length]);
                    continue;
                }
                Value::Template(value) => value,
            };
            if let Some(value) = value.constant() {
                if kept {
                    behind -= 1;
                    size += entry_size(&name, &value);
                }
                spell(&name, &value, kept.then_some(FIRST_DYNAMIC + behind), &mut ways);
            } else {
                let mut start = Vec::new();
                write_name(LITERAL, 4, &name, &mut start);
                parts.extend([flushed(&mut ways, &mut fixed), Part::Varying { name: start, value }]);
            }
        }
        parts.push(flushed(&mut ways, &mut fixed));
        Block { parts, fixed, keeps: size <= SIZE }
    }

    /// Whether the server's table is of use.
    pub fn keeps(&self) -> bool {
        self.keeps
    }

    /// Writes the block for a server whose table is such; `length` is the body's.
    #[inline]
    pub fn write(&self, table: Table, values: &Values, length: usize, out: &mut Vec<u8>) {
        if table == Table::TakenAway {
            out.push(RESIZED); // To nothing.
        }
        let way = (table as usize).min(Table::Unused as usize);
        for part in &self.parts {
            match part {
                Part::Fixed(ways) => out.extend_from_slice(&self.fixed[ways[way].clone()]),
                Part::Varying { name, value } => {
                    out.extend_from_slice(name);
                    let mut filled = Vec::new();
                    value.fill(values, &mut filled);
                    write_string(&filled, out);
                }
                Part::Length => {
                    write_name(LITERAL, 4, b"content-length", out);
                    write_string(length.to_string().as_bytes(), out);
                }
            }
        }
    }
}

fn is_kept(name: &[u8], value: &Value) -> bool {
    match value {
        Value::Length => false,
        Value::Template(value) => value.constant().is_some_and(|value| !matches!(find(name, Some(&value)), Some((_, true)))),
    }
}

/// Adds a field that never changes to each way. `later` is its index once it is kept; None: the fixed table has it.
fn spell(name: &[u8], value: &[u8], later: Option<usize>, ways: &mut [Vec<u8>; 3]) {
    let [first, known, without] = ways;
    match (later, find(name, Some(value))) {
        (None, Some((index, true))) => ways.iter_mut().for_each(|way| write_integer(INDEXED, 7, index, way)),
        (later, _) => {
            write_name(KEPT, 6, name, first);
            write_integer(INDEXED, 7, later.unwrap_or_default(), known);
            write_name(LITERAL, 4, name, without);
            write_string(value, first);
            write_string(value, without);
        }
    }
}

fn write_name(kind: u8, prefix: u32, name: &[u8], out: &mut Vec<u8>) {
    if let Some((index, _)) = find(name, None) {
        write_integer(kind, prefix, index, out);
    } else {
        out.push(kind);
        write_string(name, out);
    }
}

fn flushed(ways: &mut [Vec<u8>; 3], fixed: &mut Vec<u8>) -> Part {
    Part::Fixed(ways.each_mut().map(|way| {
        let start = fixed.len();
        fixed.append(way);
        start..fixed.len()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hpack::Decoder;

    fn value(text: &str) -> Value {
        Value::Template(Template::read(text.as_bytes()))
    }

    #[test]
    fn every_way_says_the_same() {
        let fields = vec![
            (b":method".to_vec(), value("GET")),
            (b":path".to_vec(), value("/at/{number}")),
            (b":authority".to_vec(), value("127.0.0.1:80")),
            (b"x-kind".to_vec(), value("test")),
            (b"content-length".to_vec(), Value::Length),
            (b"user-agent".to_vec(), value("callbench")),
        ];
        let block = Block::new(fields);
        assert!(block.keeps());
        let mut decoder = Decoder::default();
        for (number, table) in [(1, Table::Empty), (2, Table::Filled), (3, Table::Unused), (4, Table::Filled)] {
            let mut out = Vec::new();
            block.write(table, &Values { number, client: 0, random: 0 }, 37, &mut out);
            let mut said = Vec::new();
            let told = |name: &[u8], value: &[u8]| {
                said.push(format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value)));
                Ok(())
            };
            assert_eq!(decoder.read(&out, told), Ok(table == Table::Empty));
            let whole =
                format!(":method=GET :path=/at/{number} :authority=127.0.0.1:80 x-kind=test content-length=37 user-agent=callbench");
            assert_eq!(said.join(" "), whole);
        }
    }

    #[test]
    fn what_no_table_holds_is_not_kept() {
        let block = Block::new(vec![(b"x-long".to_vec(), value(&"x".repeat(SIZE)))]);
        assert!(!block.keeps());
    }
}
