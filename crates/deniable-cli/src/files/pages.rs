//! The headers of a Parquet column's pages, looked at before the library reads them, which asks for as much memory as a page says that it has when it is
//! unpacked, and for as many values as it says that a dictionary has.

use std::io::{self, Read, Seek, SeekFrom};

use parquet::basic::{Compression, Type};
use parquet::file::metadata::ColumnChunkMetaData;

use super::footer::Kind::{Bool, Integer, Structure};
use super::footer::{Compact, Fields, STATISTICS};

// As in parquet.thrift.
const HEADER: Fields = &[
    Integer,
    Integer,
    Integer,
    Integer,
    Structure(&[Integer, Integer, Integer, Integer, Structure(STATISTICS)]),
    Structure(&[]),
    Structure(DICTIONARY),
    Structure(&[Integer, Integer, Integer, Integer, Integer, Integer, Bool, Structure(STATISTICS)]),
];
const DICTIONARY: Fields = &[Integer, Integer, Bool];

/// A column's bytes in a file, how they are packed, and how many of them a value of a dictionary has at least.
pub(super) struct Column {
    start: u64,
    length: u64,
    packed: Compression,
    width: u64,
}

impl Column {
    /// What the footer says, if that is within a file of so many bytes.
    pub(super) fn of(column: &ColumnChunkMetaData, size: u64) -> Option<Self> {
        let (start, length) = column.byte_range();
        let width = match column.column_type() {
            Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            // Behind its length.
            Type::BYTE_ARRAY => 4,
            Type::FIXED_LEN_BYTE_ARRAY => {
                u64::try_from(column.column_descr().type_length()).ok()?
            }
            Type::BOOLEAN => 1,
        };
        let within = start.checked_add(length).is_some_and(|end| end <= size);
        within.then_some(Column {
            start,
            length,
            packed: column.compression(),
            width: width.max(1),
        })
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

/// Whether each page declares no more than it can have. The place in the file is where it was.
pub(super) fn are_sound(file: &mut (impl Read + Seek), column: &Column) -> io::Result<bool> {
    let place = file.stream_position()?;
    let sound = walk(file, column);
    file.seek(SeekFrom::Start(place))?;
    sound
}

fn walk(file: &mut (impl Read + Seek), column: &Column) -> io::Result<bool> {
    let (mut at, mut left) = (column.start, column.length);
    while left > 0 {
        let Some((length, page)) = header(file, at, left)? else { return Ok(false) };
        let rest = left - length;
        if page.packed > rest || !page.is_possible(column) {
            return Ok(false);
        }
        at += length + page.packed;
        left = rest - page.packed;
    }
    Ok(true)
}

/// The header at a place, and its length; nothing if it is damaged, or does not end within so many bytes.
fn header(file: &mut (impl Read + Seek), at: u64, most: u64) -> io::Result<Option<(u64, Page)>> {
    // Most are shorter than that. Those with texts in their statistics may be as long as these.
    let mut tried = 256;
    loop {
        let length = tried.min(most);
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        let mut left = Compact::new(&bytes);
        if let Some(page) = Page::read(&mut left) {
            return Ok(Some(((bytes.len() - left.len()) as u64, page)));
        }
        tried *= 8;
        if length == most || tried > LONGEST {
            return Ok(None);
        }
    }
}

/// More than any header has.
const LONGEST: u64 = 1 << 24;

/// What the header of a page declares: bytes when it is unpacked and as it is, and the values of a dictionary.
#[derive(Debug, Default, PartialEq)]
struct Page {
    unpacked: u64,
    packed: u64,
    dictionary: u64,
}

/// A page that nobody writes. The library skips it in one place, and in another its header alone.
const INDEX: u64 = 1;

impl Page {
    /// A header whose numbers come once each, and whose fields are of the kinds that they have in the format: the library goes by their numbers, and both must see the same.
    fn read(header: &mut Compact<'_>) -> Option<Self> {
        let (mut kind, mut unpacked, mut packed, mut dictionary) = (None, None, None, None);
        header.each_field(DEEPEST, |header, number, code, depth| match number {
            1 => header.once(code, &mut kind),
            2 => header.once(code, &mut unpacked),
            3 => header.once(code, &mut packed),
            7 if dictionary.is_some() => None,
            7 => {
                let mut values = None;
                header.structure(code, depth, |header, number, code, depth| match number {
                    1 => header.once(code, &mut values),
                    _ => header.field_of(DICTIONARY, number, code, depth),
                })?;
                dictionary = Some(values?);
                Some(())
            }
            _ => header.field_of(HEADER, number, code, depth),
        })?;
        if kind? == INDEX {
            return None;
        }
        Some(Self { unpacked: unpacked?, packed: packed?, dictionary: dictionary.unwrap_or(0) })
    }

    /// Whether so many packed bytes can become so many, and these be a dictionary of so many values.
    fn is_possible(&self, column: &Column) -> bool {
        // What a byte can become at most.
        let most = match column.packed {
            // 64 bytes again, by three.
            Compression::SNAPPY => 22,
            // 255 bytes again, by each one.
            Compression::LZ4 | Compression::LZ4_RAW => 256,
            // 258 bytes again, by two bits.
            Compression::GZIP(_) => 1032,
            // 16 MiB again, by eight or more.
            Compression::BROTLI(_) => 1 << 21,
            // 128 KiB of one byte, by four, and something more.
            _ => 1 << 16,
        };
        let bytes = match column.packed {
            // Then nobody looks at the other number.
            Compression::UNCOMPRESSED => self.packed,
            _ => self.unpacked,
        };
        bytes <= self.packed * most && self.dictionary * column.width <= bytes
    }
}

/// Structures in structures: more than any header has.
const DEEPEST: u32 = 16;

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use arrow_array::{Int64Array, RecordBatch, StringArray};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{BrotliLevel, GzipLevel, ZstdLevel};
    use parquet::file::properties::{EnabledStatistics, WriterProperties};

    use super::*;

    /// A number as the format has it.
    fn number(n: u32) -> Vec<u8> {
        let (mut left, mut bytes) = (2 * u64::from(n), Vec::new());
        while left >= 0x80 {
            bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        bytes.push(left as u8);
        bytes
    }

    /// A header of a kind, with sizes and a dictionary of so many values.
    fn header(kind: u32, unpacked: u32, packed: u32, dictionary: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for n in [kind, unpacked, packed] {
            bytes.push(0x15);
            bytes.extend(number(n));
        }
        bytes.extend([0x4c, 0x15]);
        bytes.extend(number(dictionary));
        bytes.extend([0x15, 0, 0, 0]);
        bytes
    }

    /// A page of zeros.
    fn page(unpacked: u32, packed: u32, dictionary: u32) -> Vec<u8> {
        let mut bytes = header(2, unpacked, packed, dictionary);
        bytes.resize(bytes.len() + packed as usize, 0);
        bytes
    }

    fn sound(bytes: &[u8], packed: Compression) -> bool {
        let column = Column { start: 0, length: bytes.len() as u64, packed, width: 4 };
        are_sound(&mut Cursor::new(bytes), &column).unwrap()
    }

    fn read(bytes: &[u8]) -> Option<Page> {
        Page::read(&mut Compact::new(bytes))
    }

    #[test]
    fn headers_are_read() {
        let bytes = header(2, 1000, 500, 3);
        let mut left = Compact::new(&bytes);
        let expected = Page { unpacked: 1000, packed: 500, dictionary: 3 };
        assert_eq!((Page::read(&mut left), left.len()), (Some(expected), 0));
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length]), None, "{length}");
        }
        // Without a dictionary; with a size that comes twice, of which the library takes one; a negative one; one that is a text; one above 2^31; without sizes; of an index.
        assert!(read(&[0x15, 0, 0x15, 20, 0x15, 10, 0]).is_some());
        for damaged in [
            &[0x15, 0, 0x15, 20, 0x15, 10, 0x05, 4, 10, 0][..],
            &[0x15, 0, 0x15, 19, 0x15, 10, 0],
            &[0x15, 0, 0x18, 1, b'a', 0x15, 10, 0],
            &[0x15, 0, 0x15, 0x80, 0x80, 0x80, 0x80, 0x10, 0x15, 10, 0],
            &[0x15, 4, 0],
            &[0x15, 2, 0x15, 20, 0x15, 10, 0],
        ] {
            assert_eq!(read(damaged), None, "{damaged:?}");
        }
        // Fields of other kinds than they have, in which the library would see other sizes.
        for hidden in [
            &[0x18, 6, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 20, 0x15, 20, 0][..],
            &[0x15, 0, 0x15, 20, 0x15, 20, 0x18, 1, 0, 0],
            &[0x15, 0, 0x15, 20, 0x15, 20, 0x28, 1, 0, 0],
            &[0x15, 0, 0x15, 20, 0x15, 20, 0x2c, 0x18, 1, 0, 0, 0],
        ] {
            assert_eq!(read(hidden), None, "{hidden:?}");
        }
    }

    #[test]
    fn no_page_becomes_more_than_it_can() {
        let gzip = Compression::GZIP(GzipLevel::default());
        let brotli = Compression::BROTLI(BrotliLevel::default());
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for (packed, most) in [
            (Compression::SNAPPY, 22),
            (Compression::LZ4, 256),
            (Compression::LZ4_RAW, 256),
            (gzip, 1032),
            (brotli, 1 << 21),
            (zstd, 1 << 16),
        ] {
            assert!(sound(&page(2 * most, 2, 1), packed), "{packed:?}");
            assert!(!sound(&page(2 * most + 1, 2, 1), packed), "{packed:?}");
            assert!(sound(&page(0, 0, 0), packed), "{packed:?}");
            assert!(!sound(&page(1, 0, 0), packed), "{packed:?}");
        }
        // More values than there are bytes for; of bytes that are not packed as well.
        assert!(sound(&page(8, 2, 2), Compression::SNAPPY));
        assert!(!sound(&page(8, 2, 3), Compression::SNAPPY));
        assert!(sound(&page(1000, 8, 2), Compression::UNCOMPRESSED));
        assert!(!sound(&page(1000, 8, 3), Compression::UNCOMPRESSED));
        // A page behind another one, and one that ends behind the column.
        assert!(sound(&[page(8, 2, 1), page(8, 2, 1)].concat(), Compression::SNAPPY));
        assert!(!sound(&[page(8, 2, 1), page(99, 2, 1)].concat(), Compression::SNAPPY));
        let mut cut = page(8, 3, 1);
        cut.pop();
        assert!(!sound(&cut, Compression::SNAPPY));
    }

    /// What the library itself writes is sound, with pages of one value that become a thousand times as large and more, and with texts in headers that are longer than what is read of them first.
    #[test]
    fn what_is_written_is_sound() {
        let rows = 100_000;
        let text = "a".repeat(2000);
        let texts = (0..rows).map(|row| (row % 20_000 == 0).then_some(&text));
        let batch = RecordBatch::try_from_iter([
            ("zeros", Arc::new(Int64Array::from(vec![0; rows])) as _),
            ("numbers", Arc::new(Int64Array::from_iter_values(0..rows as i64)) as _),
            ("texts", Arc::new(StringArray::from_iter(texts)) as _),
        ])
        .unwrap();
        for packed in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::try_new(9).unwrap()),
            Compression::BROTLI(BrotliLevel::try_new(5).unwrap()),
            Compression::LZ4,
            Compression::LZ4_RAW,
            Compression::ZSTD(ZstdLevel::try_new(3).unwrap()),
        ] {
            for dictionary in [false, true] {
                let properties = WriterProperties::builder()
                    .set_compression(packed)
                    .set_dictionary_enabled(dictionary)
                    .set_data_page_row_count_limit(rows)
                    .set_data_page_size_limit(1 << 21)
                    .set_statistics_enabled(EnabledStatistics::Page)
                    .set_statistics_truncate_length(None)
                    .set_write_page_header_statistics(true)
                    .build();
                let mut file = Vec::new();
                let mut writer =
                    ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
                writer.write(&batch).unwrap();
                let metadata = writer.close().unwrap();
                for column in metadata.row_group(0).columns() {
                    let size = file.len() as u64;
                    let name = column.column_path().string();
                    assert!(Column::of(column, 3).is_none());
                    let column = Column::of(column, size).unwrap();
                    let mut file = Cursor::new(&file);
                    file.set_position(7);
                    assert!(are_sound(&mut file, &column).unwrap(), "{name}, {packed:?}");
                    assert_eq!(file.position(), 7);
                }
            }
        }
    }
}
