//! The headers of a Parquet column's pages, looked at before the library reads them, which asks for as much memory as a page says that it has when it is
//! unpacked, and for as many values as it says that a dictionary has.

use std::io::{self, Read, Seek, SeekFrom};

use parquet::basic::Compression;

use super::footer::Compact;

/// A column's bytes in a file, and how they are packed.
pub(super) struct Column {
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) packed: Compression,
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
        if page.packed > rest || !page.is_possible(column.packed) {
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
        if length == most || bytes.len() as u64 != length {
            return Ok(None);
        }
        tried *= 8;
    }
}

/// What the header of a page declares: bytes when it is unpacked and as it is, and the values of a dictionary.
#[derive(Debug, Default, PartialEq)]
struct Page {
    unpacked: u64,
    packed: u64,
    dictionary: u64,
}

impl Page {
    /// A header whose fields come once each, and of the kinds that they have in parquet.thrift.
    fn read(header: &mut Compact<'_>) -> Option<Self> {
        let (mut unpacked, mut packed, mut dictionary) = (None, None, None);
        header.each_field(DEEPEST, |header, number, code, depth| match number {
            2 => header.once(code, &mut unpacked),
            3 => header.once(code, &mut packed),
            7 if dictionary.is_some() => None,
            7 => {
                let mut values = None;
                header.structure(code, depth, |header, number, code, depth| match number {
                    1 => header.once(code, &mut values),
                    _ => header.unknown_field(code, depth),
                })?;
                dictionary = Some(values?);
                Some(())
            }
            _ => header.unknown_field(code, depth),
        })?;
        Some(Self { unpacked: unpacked?, packed: packed?, dictionary: dictionary.unwrap_or(0) })
    }

    /// Whether so many packed bytes can become so many, and these be a dictionary of so many values.
    fn is_possible(&self, packed: Compression) -> bool {
        let most = match packed {
            Compression::UNCOMPRESSED => self.packed,
            // 64 bytes again, by two or three.
            Compression::SNAPPY => self.packed * 32,
            // 255 bytes again, by each one.
            Compression::LZ4 | Compression::LZ4_RAW => self.packed * 256,
            // 258 bytes again, by two bits.
            Compression::GZIP(_) => self.packed * 1032,
            // 128 KiB of one byte, by four.
            _ => self.packed << 16,
        };
        let bytes = match packed {
            // Then nobody looks at the other number.
            Compression::UNCOMPRESSED => self.packed,
            _ => self.unpacked,
        };
        // A truth is a bit, other values are more.
        bytes <= most && self.dictionary <= bytes.saturating_mul(8)
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

    /// A header of type, sizes and a dictionary of so many values.
    fn page(unpacked: u8, packed: u8, dictionary: u8) -> Vec<u8> {
        let sizes = [0x15, 4, 0x15, 2 * unpacked, 0x15, 2 * packed];
        [&sizes[..], &[0x4c, 0x15, 2 * dictionary, 0x15, 0, 0, 0]].concat()
    }

    fn sound(bytes: &[u8], packed: Compression) -> bool {
        let column = Column { start: 0, length: bytes.len() as u64, packed };
        are_sound(&mut Cursor::new(bytes), &column).unwrap()
    }

    #[test]
    fn headers_are_read() {
        let bytes = page(10, 5, 3);
        let mut left = Compact::new(&bytes);
        let expected = Page { unpacked: 10, packed: 5, dictionary: 3 };
        assert_eq!((Page::read(&mut left), left.len()), (Some(expected), 0));
        for length in 0..bytes.len() {
            assert_eq!(Page::read(&mut Compact::new(&bytes[..length])), None, "{length}");
        }
        // A size that comes twice, of which the library takes one; a negative one; one that is a text; none.
        for damaged in [
            &[0x25, 20, 0x15, 10, 0x05, 4, 10, 0][..],
            &[0x25, 19, 0x15, 10, 0],
            &[0x28, 1, b'a', 0x15, 10, 0],
            &[0x15, 4, 0],
        ] {
            assert_eq!(Page::read(&mut Compact::new(damaged)), None, "{damaged:?}");
        }
    }

    #[test]
    fn no_page_becomes_more_than_it_can() {
        let whole = |unpacked, packed, dictionary| {
            let mut bytes = page(unpacked, packed, dictionary);
            bytes.resize(bytes.len() + usize::from(packed), 0);
            bytes
        };
        assert!(sound(&whole(64, 2, 1), Compression::SNAPPY));
        assert!(!sound(&whole(65, 2, 1), Compression::SNAPPY));
        assert!(sound(&whole(100, 1, 1), Compression::LZ4));
        assert!(sound(&whole(100, 1, 1), Compression::GZIP(GzipLevel::default())));
        assert!(sound(&whole(100, 1, 1), Compression::ZSTD(ZstdLevel::default())));
        assert!(!sound(&whole(1, 0, 0), Compression::BROTLI(BrotliLevel::default())));
        assert!(sound(&whole(0, 0, 0), Compression::SNAPPY));
        // More values than bits; of bytes that are not packed as well.
        assert!(sound(&whole(2, 2, 16), Compression::SNAPPY));
        assert!(!sound(&whole(2, 2, 17), Compression::SNAPPY));
        assert!(!sound(&whole(100, 2, 17), Compression::UNCOMPRESSED));
        // A page behind another one, and one that ends behind the column.
        assert!(sound(&[whole(2, 2, 1), whole(2, 2, 1)].concat(), Compression::SNAPPY));
        assert!(!sound(&[whole(2, 2, 1), whole(99, 2, 1)].concat(), Compression::SNAPPY));
        let mut cut = whole(3, 3, 1);
        cut.pop();
        assert!(!sound(&cut, Compression::SNAPPY));
    }

    /// What the library itself writes is sound, as packed as it can be, with texts in headers that are longer than what is tried first.
    #[test]
    fn what_is_written_is_sound() {
        let rows = 200_000;
        let text = "a".repeat(2000);
        let batch = RecordBatch::try_from_iter([
            ("zeros", Arc::new(Int64Array::from(vec![0; rows])) as _),
            ("numbers", Arc::new(Int64Array::from_iter_values(0..rows as i64)) as _),
            ("texts", Arc::new(StringArray::from_iter_values((0..rows).map(|_| &text))) as _),
        ])
        .unwrap();
        for packed in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(GzipLevel::try_new(9).unwrap()),
            Compression::BROTLI(BrotliLevel::try_new(9).unwrap()),
            Compression::LZ4,
            Compression::LZ4_RAW,
            Compression::ZSTD(ZstdLevel::try_new(19).unwrap()),
        ] {
            for dictionary in [false, true] {
                let properties = WriterProperties::builder()
                    .set_compression(packed)
                    .set_dictionary_enabled(dictionary)
                    .set_statistics_enabled(EnabledStatistics::Page)
                    .set_write_page_header_statistics(true)
                    .build();
                let mut file = Vec::new();
                let mut writer =
                    ArrowWriter::try_new(&mut file, batch.schema(), Some(properties)).unwrap();
                writer.write(&batch.slice(0, if dictionary { rows } else { 2000 })).unwrap();
                let metadata = writer.close().unwrap();
                for column in metadata.row_group(0).columns() {
                    let (start, length) = column.byte_range();
                    let column = Column { start, length, packed: column.compression() };
                    let mut file = Cursor::new(&file);
                    file.set_position(7);
                    assert!(are_sound(&mut file, &column).unwrap(), "{packed:?}");
                    assert_eq!(file.position(), 7);
                }
            }
        }
    }
}
