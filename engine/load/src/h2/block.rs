//! The header block of a request, encoded in three ways: so that the server stores the fields, with references to stored fields, and without the
//! table.

use std::ops::Range;

use crate::hpack::{FIRST_DYNAMIC, INDEXED, KEPT, LITERAL, RESIZED, SIZE, entry_size, find, write_integer, write_string};
use crate::request::{Template, Values};

/// What the server's dynamic table contains from earlier requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Empty,
    /// The fields that never change.
    Filled,
    /// There is no table, or it is too small, so it is not used.
    Unused,
    /// As above, and the next request must announce it.
    JustDisabled,
}

impl Table {
    pub fn after_a_request(self) -> Self {
        match self {
            Table::Empty | Table::Filled => Table::Filled,
            Table::Unused | Table::JustDisabled => Table::Unused,
        }
    }
}

#[derive(Clone, Debug)]
enum Part {
    /// A range of `fixed` for each of the three ways.
    Fixed([Range<usize>; 3]),
    /// A value with variables, after its name.
    Varying {
        name: Vec<u8>,
        value: Template,
    },
    Length,
}

/// The header fields of a request.
#[derive(Clone, Debug)]
pub struct Block {
    parts: Vec<Part>,
    fixed: Vec<u8>,
    /// Whether the fixed fields fit into every server's table.
    fits_table: bool,
}

/// The value of a field.
#[derive(Clone, Debug)]
pub enum Value {
    Template(Template),
    /// The length of the body in bytes.
    Length,
}

impl Block {
    /// The fields in their order, with names in lower case. `stored` are the fields that the server's table contains after a request, as
    /// `storable` names them.
    pub fn new(fields: Vec<Field>, stored: &[Storable]) -> Self {
        let kept_body: Vec<bool> = fields.iter().map(|field| storable_one(field).is_some_and(|it| stored.contains(&it))).collect();
        let mut behind = stored.len();
        let (mut ways, mut size): ([Vec<u8>; 3], usize) = Default::default();
        let (mut parts, mut fixed) = (Vec::new(), Vec::new());
        for ((name, value), kept_body) in fields.into_iter().zip(kept_body) {
            let value = match value {
                Value::Length => {
                    parts.extend([flushed(&mut ways, &mut fixed), Part::Length]);
                    continue;
                }
                Value::Template(value) => value,
            };
            if let Some(value) = value.constant() {
                if kept_body {
                    behind -= 1;
                    size += entry_size(&name, &value);
                }
                encode_field(&name, &value, kept_body.then_some(FIRST_DYNAMIC + behind), &mut ways);
            } else {
                let mut start = Vec::new();
                write_name(LITERAL, 4, &name, &mut start);
                parts.extend([flushed(&mut ways, &mut fixed), Part::Varying { name: start, value }]);
            }
        }
        parts.push(flushed(&mut ways, &mut fixed));
        Block { parts, fixed, fits_table: size <= SIZE }
    }

    /// Whether the server's table is used.
    pub fn fits_table(&self) -> bool {
        self.fits_table
    }

    /// Writes the block for a server with this table; `taken` are values from answers, and `length` is the length of the body.
    #[inline]
    pub fn write(&self, table: Table, (values, taken): (&Values, &[Vec<u8>]), length: usize, out: &mut Vec<u8>) {
        if table == Table::JustDisabled {
            out.push(RESIZED); // Announces a table size of 0.
        }
        let way = (table as usize).min(Table::Unused as usize);
        for part in &self.parts {
            match part {
                Part::Fixed(ways) => out.extend_from_slice(&self.fixed[ways[way].clone()]),
                Part::Varying { name, value } => {
                    out.extend_from_slice(name);
                    let mut filled = Vec::new();
                    value.fill_with(values, taken, &mut filled);
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

/// A field of a request: its name in lower case, and its value.
pub type Field = (Vec<u8>, Value);

/// The name and the value of a field that never changes and is not in the static table.
pub type Storable = (Vec<u8>, Vec<u8>);

fn storable_one((name, value): &Field) -> Option<Storable> {
    let Value::Template(value) = value else { return None };
    let value = value.constant()?;
    (!matches!(find(name, Some(&value)), Some((_, true)))).then(|| (name.clone(), value))
}

/// The fields of a request that the server's table can contain, in their order.
pub fn storable(fields: &[Field]) -> Vec<Storable> {
    fields.iter().filter_map(storable_one).collect()
}

/// The fields that all requests have in the same order, so that any of them can be the first on a connection. If the order differs, there are none.
pub fn common<'a>(mut requests: impl Iterator<Item = &'a [Field]>) -> Vec<Storable> {
    let mut shared = requests.next().map(storable).unwrap_or_default();
    let (mut before, mut ordered) = (shared.clone(), true);
    for fields in requests {
        // Requests often differ in the path or the body only.
        let its = storable(fields);
        if its == before {
            continue;
        }
        shared.retain(|field| its.contains(field));
        ordered &= is_subsequence(&shared, &its);
        before = its;
    }
    let twice = (1..shared.len()).any(|place| shared[..place].contains(&shared[place]));
    if ordered && !twice { shared } else { Vec::new() }
}

/// Whether the fields are in the others in this order, each once.
fn is_subsequence(fields: &[Storable], others: &[Storable]) -> bool {
    others.iter().filter(|field| fields.contains(field)).eq(fields)
}

/// Encodes a constant field in each of the three ways. `index` is its index once it is stored; None: it is not stored.
fn encode_field(name: &[u8], value: &[u8], index: Option<usize>, ways: &mut [Vec<u8>; 3]) {
    let [first, known, without] = ways;
    match (index, find(name, Some(value))) {
        (None, Some((index, true))) => ways.iter_mut().for_each(|way| write_integer(INDEXED, 7, index, way)),
        (None, _) => ways.iter_mut().for_each(|way| {
            write_name(LITERAL, 4, name, way);
            write_string(value, way);
        }),
        (Some(index), _) => {
            write_name(KEPT, 6, name, first);
            write_integer(INDEXED, 7, index, known);
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
        let stored = storable(&fields);
        let block = Block::new(fields, &stored);
        assert!(block.fits_table());
        let mut decoder = Decoder::default();
        for (number, table) in [(1, Table::Empty), (2, Table::Filled), (3, Table::Unused), (4, Table::Filled)] {
            let mut out = Vec::new();
            block.write(table, (&Values { number, client: 0, random: 0 }, &[]), 37, &mut out);
            let mut said = Vec::new();
            let expect_field = |name: &[u8], value: &[u8]| {
                said.push(format!("{}={}", String::from_utf8_lossy(name), String::from_utf8_lossy(value)));
                Ok(())
            };
            assert_eq!(decoder.read(&out, expect_field), Ok(table == Table::Empty));
            let whole =
                format!(":method=GET :path=/at/{number} :authority=127.0.0.1:80 x-kind=test content-length=37 user-agent=callbench");
            assert_eq!(said.join(" "), whole);
        }
    }

    #[test]
    fn what_no_table_holds_is_not_kept() {
        let fields = vec![(b"x-long".to_vec(), value(&"x".repeat(SIZE)))];
        let stored = storable(&fields);
        assert!(!Block::new(fields, &stored).fits_table());
    }

    fn fields(texts: &[(&str, &str)]) -> Vec<Field> {
        texts.iter().map(|(name, text)| (name.as_bytes().to_vec(), value(text))).collect()
    }

    /// Name and value of each field, as a server decodes them.
    fn decoded(decoder: &mut Decoder, bytes: &[u8]) -> Vec<(String, String)> {
        let mut said = Vec::new();
        let expect_field = |name: &[u8], value: &[u8]| {
            said.push((String::from_utf8_lossy(name).into_owned(), String::from_utf8_lossy(value).into_owned()));
            Ok(())
        };
        decoder.read(bytes, expect_field).expect("a block");
        said
    }

    #[test]
    fn several_requests_share_the_table_of_a_connection() {
        let one = [(":method", "GET"), (":path", "/a"), (":authority", "h:1"), ("accept", "x"), ("user-agent", "callbench")];
        let other = [(":method", "POST"), (":path", "/b"), (":authority", "h:1"), ("user-agent", "callbench"), ("cookie", "a=1")];
        let requests = [fields(&one), fields(&other)];
        let stored = common(requests.iter().map(Vec::as_slice));
        assert_eq!(stored.len(), 2, "{stored:?}");
        let blocks = requests.map(|its| Block::new(its, &stored));
        for first in [0, 1] {
            let (mut decoder, mut table) = (Decoder::default(), Table::Empty);
            for place in [first, 0, 1, 1, 0] {
                let mut out = Vec::new();
                blocks[place].write(table, (&Values::default(), &[]), 0, &mut out);
                let expected = if place == 0 { &one } else { &other };
                let said = decoded(&mut decoder, &out);
                assert!(said.iter().map(|(name, value)| (name.as_str(), value.as_str())).eq(expected.iter().copied()), "{said:?}");
                table = table.after_a_request();
            }
        }
    }

    #[test]
    fn requests_with_another_order_share_no_table() {
        let (one, other) = (fields(&[("a", "1"), ("b", "2")]), fields(&[("b", "2"), ("a", "1")]));
        assert!(common([one.as_slice(), other.as_slice()].into_iter()).is_empty());
        assert!(common([fields(&[("a", "1"), ("a", "1")]).as_slice()].into_iter()).is_empty());
    }
}
