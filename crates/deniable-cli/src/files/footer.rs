//! The footer of a Parquet file, looked at before the library reads it, which asks for memory for as many groups of rows as a footer declares.
//!
//! A footer is a structure of Thrift's compact protocol: fields with a number, a kind and a value. The library goes by the numbers, this reader by both: a
//! field of another kind than its number has is damage, so that both see the same lists. Of none of them more is declared than there are bytes left, and
//! columns in columns are as many as they say, and not too deep for the library, which goes down to each.

use std::io::{self, Read, Seek, SeekFrom};

/// What a field has behind its header, or an item of a list.
pub(super) enum Kind {
    Bool,
    Byte,
    Integer,
    Double,
    Binary,
    List(&'static Kind),
    Structure(Fields),
    SchemaElement,
    /// A structure with one field, whatever its number, whose value is of this kind.
    Union(&'static Kind),
}

use Kind::{Binary, Bool, Byte, Double, Integer, List, SchemaElement, Structure, Union};

/// Fields from the number 1 on.
pub(super) type Fields = &'static [Kind];

// As in parquet.thrift, the definition of the format. What it does not have yet is unknown, and skipped.
const FILE: Fields = &[
    Integer,
    List(&SchemaElement),
    Integer,
    List(&Structure(ROW_GROUP)),
    List(&Structure(KEY_VALUE)),
    Binary,
    List(&Union(&Structure(&[]))),
];
const SCHEMA_ELEMENT: Fields = &[
    Integer,
    Integer,
    Integer,
    Binary,
    Integer,
    Integer,
    Integer,
    Integer,
    Integer,
    Structure(LOGICAL_TYPE),
];
const LOGICAL_TYPE: Fields = &[
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
    Structure(&[Integer, Integer]),
    NOTHING,
    Structure(TIME),
    Structure(TIME),
    NOTHING,
    Structure(&[Byte, Bool]),
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
    NOTHING,
    Structure(&[Byte]),
    Structure(&[Binary]),
    Structure(&[Binary, Integer]),
];
const NOTHING: Kind = Structure(&[]);
const TIME: Fields = &[Bool, Union(&Structure(&[]))];
const KEY_VALUE: Fields = &[Binary, Binary];
const ROW_GROUP: Fields = &[
    List(&Structure(COLUMN)),
    Integer,
    Integer,
    List(&Structure(&[Integer, Bool, Bool])),
    Integer,
    Integer,
    Integer,
];
const COLUMN: Fields =
    &[Binary, Integer, Structure(COLUMN_DATA), Integer, Integer, Integer, Integer];
const COLUMN_DATA: Fields = &[
    Integer,
    List(&Integer),
    List(&Binary),
    Integer,
    Integer,
    Integer,
    Integer,
    List(&Structure(KEY_VALUE)),
    Integer,
    Integer,
    Integer,
    Structure(STATISTICS),
    List(&Structure(&[Integer, Integer, Integer])),
    Integer,
    Integer,
    Structure(&[Integer, List(&Integer), List(&Integer)]),
    Structure(&[Structure(BOX), List(&Integer)]),
];
pub(super) const STATISTICS: Fields =
    &[Binary, Binary, Integer, Integer, Binary, Binary, Bool, Bool];
const BOX: Fields = &[Double, Double, Double, Double, Double, Double, Double, Double];

/// Whether there is a footer, and no list in it has more items than there can be. The place in the file is where it was.
pub(super) fn is_sound(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    let place = file.stream_position()?;
    let sound = read(file).map(|footer| footer.is_some_and(|footer| whole(&footer)));
    file.seek(SeekFrom::Start(place))?;
    sound
}

/// The last bytes of a file: the footer, its length in four bytes, and four more by which a file is known.
fn read(file: &mut (impl Read + Seek)) -> io::Result<Option<Vec<u8>>> {
    let size = file.seek(SeekFrom::End(0))?;
    let Some(tail) = size.checked_sub(8) else { return Ok(None) };
    file.seek(SeekFrom::Start(tail))?;
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes)?;
    let [a, b, c, d, magic @ ..] = bytes;
    let length = u32::from_le_bytes([a, b, c, d]);
    let Some(start) = tail.checked_sub(length.into()) else { return Ok(None) };
    if magic != *b"PAR1" {
        return Ok(None);
    }
    file.seek(SeekFrom::Start(start))?;
    let mut footer = vec![0; length as usize];
    file.read_exact(&mut footer)?;
    Ok(Some(footer))
}

fn whole(footer: &[u8]) -> bool {
    let mut footer = Compact::new(footer);
    footer.fields(FILE, DEEPEST).is_some() && is_tree(&footer.schema)
}

/// Structures in structures, or columns in columns: more than any footer has, of known fields or others.
const DEEPEST: u32 = 64;

/// What the library copies of the names of columns, at most: for each column those of all that it is in.
const NAMES: u64 = 1 << 28;

/// A column, or columns with a name.
#[derive(Default)]
struct Element {
    name: u64,
    children: u64,
}

/// Whether the columns of the schema, each before those that are in it, are a tree.
fn is_tree(schema: &[Element]) -> bool {
    // How many are yet to come at each level, and the length of the names above them.
    let mut open = vec![(1, 0)];
    let mut names = 0;
    for element in schema {
        while open.pop_if(|(left, _)| *left == 0).is_some() {}
        let Some((left, above)) = open.last_mut() else { return false };
        *left -= 1;
        let path = *above + element.name;
        names += path;
        if names > NAMES || open.len() > DEEPEST as usize {
            return false;
        }
        if element.children > 0 {
            open.push((element.children, path));
        }
    }
    schema.is_empty() || open.iter().all(|(left, _)| *left == 0)
}

/// The rest of a footer, or of the header of a page, and the schema that was in it. Nothing is damage.
pub(super) struct Compact<'a> {
    left: &'a [u8],
    schema: Vec<Element>,
}

impl<'a> Compact<'a> {
    pub(super) fn new(left: &'a [u8]) -> Self {
        Compact { left, schema: Vec::new() }
    }

    /// How many bytes are left.
    pub(super) fn len(&self) -> usize {
        self.left.len()
    }

    /// A number of 31 bits that is not negative, in a field that comes once.
    pub(super) fn once(&mut self, code: u8, value: &mut Option<u64>) -> Option<()> {
        let zigzag = if (SHORT..=LONG).contains(&code) { self.number()? } else { return None };
        let number = i32::try_from(zigzag >> 1).ok()? as u64;
        (zigzag & 1 == 0 && value.replace(number).is_none()).then_some(())
    }

    /// The fields of a field that is a structure.
    pub(super) fn structure(
        &mut self,
        code: u8,
        depth: u32,
        field: impl FnMut(&mut Self, i16, u8, u32) -> Option<()>,
    ) -> Option<()> {
        if code == STRUCTURE { self.each_field(depth, field) } else { None }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.left.split_first()?;
        self.left = rest;
        Some(first)
    }

    fn skip(&mut self, count: u64) -> Option<()> {
        self.left = self.left.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    /// Seven bits of each byte, the lowest first; the eighth says whether another follows.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The kind of the items of a list, and their number, of which each takes a byte at least.
    fn items(&mut self) -> Option<(u8, u64)> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.number()?,
            few => few.into(),
        };
        (count <= self.left.len() as u64).then_some((header & 15, count))
    }

    fn fields(&mut self, known: Fields, depth: u32) -> Option<()> {
        self.each_field(depth, |this, number, code, depth| {
            this.field_of(known, number, code, depth)
        })
    }

    /// An element of the schema, whose name is its fourth field and whose number of children is the fifth.
    fn element(&mut self, depth: u32) -> Option<()> {
        let mut element = Element::default();
        self.each_field(depth, |this, number, code, depth| match (number, code) {
            (4, BINARY) => {
                element.name = this.number()?;
                this.skip(element.name)
            }
            (5, SHORT..=LONG) => {
                let zigzag = this.number()?;
                // A negative number is none.
                element.children = if zigzag & 1 == 0 { zigzag >> 1 } else { 0 };
                Some(())
            }
            _ => this.field_of(SCHEMA_ELEMENT, number, code, depth),
        })?;
        self.schema.push(element);
        Some(())
    }

    pub(super) fn field_of(
        &mut self,
        known: Fields,
        number: i16,
        code: u8,
        depth: u32,
    ) -> Option<()> {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        match place.and_then(|place| known.get(place)) {
            Some(kind) => self.field(kind, code, depth),
            None => self.unknown_field(code, depth),
        }
    }

    /// Calls back for each field, with its number and the code of its kind.
    pub(super) fn each_field(
        &mut self,
        depth: u32,
        mut field: impl FnMut(&mut Self, i16, u8, u32) -> Option<()>,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let mut number = 0i16;
        loop {
            let header = self.byte()?;
            let code = header & 15;
            if code == STOP {
                return Some(());
            }
            number = match header >> 4 {
                0 => {
                    let zigzag = u16::try_from(self.number()?).ok()?;
                    (zigzag >> 1) as i16 ^ -((zigzag & 1) as i16)
                }
                more => number.checked_add(more.into())?,
            };
            field(self, number, code, depth)?;
        }
    }

    /// A known field. A truth is in the header.
    fn field(&mut self, kind: &Kind, code: u8, depth: u32) -> Option<()> {
        match kind {
            Bool => (code == TRUE || code == FALSE).then_some(()),
            _ => self.value(kind, code, depth),
        }
    }

    fn unknown_field(&mut self, code: u8, depth: u32) -> Option<()> {
        if code == TRUE || code == FALSE { Some(()) } else { self.unknown(code, depth) }
    }

    /// A value of a known kind, or an item of a list.
    fn value(&mut self, kind: &Kind, code: u8, depth: u32) -> Option<()> {
        let is_right = match kind {
            // No list has any.
            Bool => false,
            Byte => code == BYTE,
            Integer => (SHORT..=LONG).contains(&code),
            Double => code == DOUBLE,
            Binary => code == BINARY,
            List(_) => code == LIST,
            Structure(_) | SchemaElement | Union(_) => code == STRUCTURE,
        };
        if !is_right {
            return None;
        }
        match kind {
            List(kind) => {
                let (code, count) = self.items()?;
                (0..count).try_for_each(|_| self.value(kind, code, depth))
            }
            Structure(fields) => self.fields(fields, depth),
            SchemaElement => self.element(depth),
            Union(kind) => {
                self.each_field(depth, |this, _, code, depth| this.field(kind, code, depth))
            }
            _ => self.unknown(code, depth),
        }
    }

    /// A value that is not looked at, by its code alone.
    fn unknown(&mut self, code: u8, depth: u32) -> Option<()> {
        match code {
            BYTE => self.skip(1),
            SHORT..=LONG => self.number().map(drop),
            DOUBLE => self.skip(8),
            BINARY => {
                let length = self.number()?;
                self.skip(length)
            }
            LIST | SET => {
                let depth = depth.checked_sub(1)?;
                let (code, count) = self.items()?;
                // The library takes the truths of a list to have no bytes.
                if code == TRUE || code == FALSE {
                    return (count == 0).then_some(());
                }
                (0..count).try_for_each(|_| self.unknown(code, depth))
            }
            STRUCTURE => self.fields(&[], depth),
            UUID => self.skip(16),
            _ => None,
        }
    }
}

// The codes of kinds.
const STOP: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const SHORT: u8 = 4;
const LONG: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCTURE: u8 = 12;
const UUID: u8 = 13;

#[cfg(test)]
mod tests {
    use std::iter;
    use std::sync::Arc;

    use arrow_array::{
        BooleanArray, Int32Array, ListArray, RecordBatch, StringArray, types::Int32Type,
    };
    use parquet::arrow::ArrowWriter;

    use super::*;

    /// A footer with columns of several kinds, and two groups of rows.
    fn footer() -> Vec<u8> {
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1)]), None]);
        let batch = RecordBatch::try_from_iter([
            ("flag", Arc::new(BooleanArray::from(vec![true, false])) as _),
            ("text", Arc::new(StringArray::from(vec!["a", "b"])) as _),
            ("number", Arc::new(Int32Array::from(vec![1, 2])) as _),
            ("list", Arc::new(list) as _),
        ])
        .unwrap();
        let mut file = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
        for _ in 0..2 {
            writer.write(&batch).unwrap();
            writer.flush().unwrap();
        }
        writer.close().unwrap();
        let (file, tail) = file.split_at(file.len() - 8);
        let length = u32::from_le_bytes(tail[..4].try_into().unwrap());
        file[file.len() - length as usize..].to_vec()
    }

    #[test]
    fn a_footer_is_sound_and_no_part_of_it() {
        let footer = footer();
        assert!(whole(&footer));
        for length in 0..footer.len() {
            assert!(!whole(&footer[..length]), "{length}");
        }
    }

    /// A field of one group of rows, one of more than there are bytes, and another kind in its place.
    #[test]
    fn no_list_is_longer_than_the_footer() {
        let version = [0x15, 2];
        let groups = |list: &[u8]| [&version[..], &[0x39], list, &[0]].concat();
        assert!(whole(&groups(&[0x1c, 0])));
        assert!(whole(&groups(&[0xfc, 1, 0])));
        assert!(!whole(&groups(&[0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0])));
        assert!(!whole(&groups(&[0xfc, 3, 0])));
        // A number of the fourth field, of which the library would read a list.
        assert!(!whole(&[&version[..], &[0x35, 0x1c, 0]].concat()));
        // Eight truths in a list that nobody knows, which the library does not skip: a list of groups.
        let groups = [0x81, 0x09, 0x08, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0];
        assert!(!whole(&[&version[..], &[0x79], &groups].concat()));
        // A number that no field has.
        assert!(whole(&[0x15, 2, 0x05, 0x7e, 1, 0]));
        assert!(!whole(&[0x15, 2, 0x05, 0x88, 0x80, 0x08, 1, 0]));
    }

    /// A schema of elements with such names and so many children.
    fn schema(elements: &[(&str, u8)]) -> Vec<u8> {
        let mut footer = vec![0x29, 0xfc, elements.len() as u8];
        for (name, children) in elements {
            footer.extend([0x48, name.len() as u8]);
            footer.extend(name.as_bytes());
            footer.extend([0x15, 2 * children, 0]);
        }
        footer.push(0);
        footer
    }

    #[test]
    fn a_schema_has_the_columns_that_it_declares() {
        assert!(whole(&schema(&[("r", 0)])));
        assert!(whole(&schema(&[("r", 2), ("a", 0), ("b", 0)])));
        assert!(whole(&schema(&[("r", 2), ("a", 1), ("b", 0), ("c", 0)])));
        assert!(!whole(&schema(&[("r", 2), ("a", 0)])));
        assert!(!whole(&schema(&[("r", 1), ("a", 0), ("b", 0)])));
        assert!(!whole(&schema(&[("r", 0), ("a", 0)])));
        let deep = |depth: usize| {
            let mut elements = vec![("g", 1); depth];
            elements.push(("leaf", 0));
            schema(&elements)
        };
        assert!(whole(&deep(60)));
        assert!(!whole(&deep(70)));
        // Two billion children.
        assert!(!whole(&[0x29, 0x1c, 0x15 | 0x50, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 0]));
    }

    /// Names of columns are copied for all that are in them.
    #[test]
    fn long_names_of_many_columns_are_damage() {
        let long = Element { name: 1 << 20, children: 300 };
        let columns = (0..300).map(|_| Element::default());
        let schema: Vec<Element> = iter::once(long).chain(columns).collect();
        assert!(!is_tree(&schema));
        let short = Element { name: 1 << 10, children: 300 };
        let columns = (0..300).map(|_| Element::default());
        assert!(is_tree(&iter::once(short).chain(columns).collect::<Vec<_>>()));
    }

    #[test]
    fn what_is_too_deep_is_damage() {
        // Structures of the hundredth field, each in the other.
        let nested = |depth: usize| [[0x0c, 0xc8, 1].repeat(depth), vec![0; depth + 1]].concat();
        assert!(whole(&nested(60)));
        assert!(!whole(&nested(70)));
        assert!(!whole(&nested(100_000)));
        let lists = |depth: usize| [vec![0x09, 0xc8, 1], vec![0x19; depth], vec![0; 2]].concat();
        assert!(whole(&lists(60)));
        assert!(!whole(&lists(70)));
    }

    #[test]
    fn a_damaged_length_is_damage() {
        for (bytes, sound) in [
            (&b""[..], false),
            (b"PAR1", false),
            (b"\0\x01\0\0\0PAR1", true),
            (b"\0\x02\0\0\0PAR1", false),
            (b"\0\x01\0\0\0PAR2", false),
            (b"\0\xff\xff\xff\xffPAR1", false),
        ] {
            let mut file = io::Cursor::new(bytes);
            assert_eq!(is_sound(&mut file).unwrap(), sound, "{bytes:?}");
            assert_eq!(file.position(), 0);
        }
    }
}
