//! Arrow's files and streams. Their lengths are compared with what is there before the library sees them, which believes them: four bytes could ask for gigabytes.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer as Bytes;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, Message, MessageHeader, MetadataVersion};
use arrow_schema::SchemaRef;

use crate::foreign::reading;

/// What a message begins with, but in old streams.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Behind the footer: its length and the magic.
const END: u64 = 10;

/// The most rows of a batch: offsets have 32 bits. A column of nothing but missing values says how many it has, and takes no bytes.
const MOST_ROWS: i64 = 1 << 31;

/// Why there is no further batch.
#[derive(Debug)]
pub(super) enum Problem {
    Unreadable(io::Error),
    /// Without what the library says, which may quote the data.
    Damaged,
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::Unreadable(error)
    }
}

type Result<T> = std::result::Result<T, Problem>;

/// For what the library refuses.
fn damaged<E>(_: E) -> Problem {
    Problem::Damaged
}

/// The batches of a stream.
pub(super) struct Stream<R> {
    reader: R,
    decoder: FileDecoder,
    schema: SchemaRef,
    ended: bool,
}

impl<R: Read> Stream<R> {
    pub(super) fn new(mut reader: R) -> Result<Self> {
        let first = Checked::next(&mut reader)?.ok_or(Problem::Damaged)?;
        let message = first.message()?;
        let schema = message.header_as_schema().ok_or(Problem::Damaged)?;
        // The version of each batch is its own: the first stands for any.
        let (decoder, schema) = decoder(schema, MetadataVersion::V1)?;
        Ok(Stream { reader, decoder, schema, ended: false })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(checked) = Checked::next(&mut self.reader)? {
            match checked.message()?.header_type() {
                MessageHeader::DictionaryBatch => checked.dictionary(&mut self.decoder)?,
                _ => return checked.batch(&self.decoder).map(Some),
            }
        }
        Ok(None)
    }
}

impl<R: Read> Iterator for Stream<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch();
        self.ended = !matches!(batch, Ok(Some(_)));
        batch.transpose()
    }
}

/// The batches of a file, whose end says where they are.
pub(super) struct File<R> {
    reader: R,
    decoder: FileDecoder,
    schema: SchemaRef,
    blocks: std::vec::IntoIter<Block>,
}

impl<R: Read + Seek> File<R> {
    pub(super) fn new(mut reader: R) -> Result<Self> {
        let length = reader.seek(SeekFrom::End(0))?;
        let mut end = [0; END as usize];
        reader.seek(SeekFrom::Start(length.checked_sub(END).ok_or(Problem::Damaged)?))?;
        reader.read_exact(&mut end)?;
        let of_footer = read_footer_length(end).map_err(damaged)?;
        let start = (length - END).checked_sub(of_footer as u64).ok_or(Problem::Damaged)?;
        reader.seek(SeekFrom::Start(start))?;
        let footer = exactly(&mut reader, Vec::new(), of_footer)?;
        let footer = arrow_ipc::root_as_footer(&footer).map_err(damaged)?;

        let schema = footer.schema().ok_or(Problem::Damaged)?;
        let (mut decoder, schema) = decoder(schema, footer.version())?;
        let blocks: Vec<Block> =
            footer.recordBatches().ok_or(Problem::Damaged)?.iter().copied().collect();
        let dictionaries = footer.dictionaries();
        // None is there twice, so that all of them are no longer than the file.
        let all = dictionaries.iter().flatten().chain(&blocks);
        let lengths = all.flat_map(|block| [block.metaDataLength().into(), block.bodyLength()]);
        within(lengths, start)?;
        for block in dictionaries.iter().flatten() {
            Checked::at(&mut reader, block)?.dictionary(&mut decoder)?;
        }
        Ok(File { reader, decoder, schema, blocks: blocks.into_iter() })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }
}

impl<R: Read + Seek> Iterator for File<R> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let block = self.blocks.next()?;
        let checked = Checked::at(&mut self.reader, &block);
        Some(checked.and_then(|checked| checked.batch(&self.decoder)))
    }
}

/// What decodes batches of these columns.
fn decoder(
    schema: arrow_ipc::Schema<'_>,
    version: MetadataVersion,
) -> Result<(FileDecoder, SchemaRef)> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err(Problem::Damaged);
    }
    let schema = reading(|| arrow_ipc::convert::fb_to_schema(schema)).ok_or(Problem::Damaged)?;
    let schema = Arc::new(schema);
    Ok((FileDecoder::new(schema.clone(), version), schema))
}

/// A whole message, whose lengths are those of what is there.
struct Checked {
    bytes: Bytes,
    /// Before the metadata: the mark and the length.
    before: usize,
    /// What the library asks for besides the bytes.
    block: Block,
}

impl Checked {
    /// The next one of a stream; nothing at its end.
    fn next(reader: &mut impl Read) -> Result<Option<Self>> {
        let mut bytes = Vec::with_capacity(8);
        if reader.take(4).read_to_end(&mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes == CONTINUATION {
            bytes = exactly(reader, bytes, 4)?;
        }
        let length = bytes.last_chunk().map(|&length| i32::from_le_bytes(length));
        let length = length.and_then(|length| usize::try_from(length).ok());
        let length = length.ok_or(Problem::Damaged)?;
        if length == 0 {
            return Ok(None);
        }
        let before = bytes.len();
        let bytes = exactly(reader, bytes, length)?;
        let metadata = i32::try_from(bytes.len()).map_err(damaged)?;
        let message = arrow_ipc::root_as_message(&bytes[before..]).map_err(damaged)?;
        let body = message.bodyLength();
        let bytes = exactly(reader, bytes, usize::try_from(body).map_err(damaged)?)?;
        Self::new(bytes, before, Block::new(0, metadata, body)).map(Some)
    }

    /// That of a file which is at this place.
    fn at(reader: &mut (impl Read + Seek), block: &Block) -> Result<Self> {
        let metadata = usize::try_from(block.metaDataLength()).map_err(damaged)?;
        let body = usize::try_from(block.bodyLength()).map_err(damaged)?;
        let count = metadata.checked_add(body).ok_or(Problem::Damaged)?;
        reader.seek(SeekFrom::Start(u64::try_from(block.offset()).map_err(damaged)?))?;
        let bytes = exactly(reader, Vec::new(), count)?;
        let before = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
        if metadata < before {
            return Err(Problem::Damaged);
        }
        Self::new(bytes, before, *block)
    }

    /// Checks that the buffers are in the body, and say of themselves nothing that cannot be.
    fn new(bytes: Vec<u8>, before: usize, block: Block) -> Result<Self> {
        let checked = Checked { bytes: bytes.into(), before, block };
        let body = &checked.bytes[block.metaDataLength() as usize..];
        let message = checked.message()?;
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => {
                message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data())
            }
            MessageHeader::Schema => return Ok(checked),
            // One that is not known could be a batch.
            _ => return Err(Problem::Damaged),
        };
        let batch = batch.ok_or(Problem::Damaged)?;
        let nodes = batch.nodes();
        let rows = nodes.iter().flatten().map(|node| node.length());
        if rows.chain([batch.length()]).any(|rows| !(0..=MOST_ROWS).contains(&rows)) {
            return Err(Problem::Damaged);
        }
        // None is there twice, so that all of them are no longer than the body.
        let buffers = batch.buffers();
        within(buffers.iter().flatten().map(|buffer| buffer.length()), body.len() as u64)?;
        let mut unpacked = 0_usize;
        for buffer in buffers.iter().flatten() {
            let start = usize::try_from(buffer.offset()).map_err(damaged)?;
            let length = usize::try_from(buffer.length()).map_err(damaged)?;
            let there = body.get(start..).and_then(|bytes| bytes.get(..length));
            let there = there.ok_or(Problem::Damaged)?;
            if let Some(compression) = batch.compression() {
                let length = unpacked_length(there, compression.codec())?;
                unpacked = unpacked.checked_add(length).ok_or(Problem::Damaged)?;
            }
        }
        // The library takes for granted that there is room. (Seen by nobody, room that is not used would not be asked for.)
        let mut room = Vec::<u8>::new();
        room.try_reserve_exact(unpacked).map_err(damaged)?;
        core::hint::black_box(&room);
        drop(room);
        Ok(checked)
    }

    fn message(&self) -> Result<Message<'_>> {
        let metadata = &self.bytes[self.before..self.block.metaDataLength() as usize];
        arrow_ipc::root_as_message(metadata).map_err(damaged)
    }

    fn dictionary(&self, decoder: &mut FileDecoder) -> Result<()> {
        let done = reading(|| decoder.read_dictionary(&self.block, &self.bytes));
        done.ok_or(Problem::Damaged)?.map_err(damaged)
    }

    fn batch(&self, decoder: &FileDecoder) -> Result<RecordBatch> {
        let done = reading(|| decoder.read_record_batch(&self.block, &self.bytes));
        done.ok_or(Problem::Damaged)?.map_err(damaged)?.ok_or(Problem::Damaged)
    }
}

/// Reads so many bytes behind those that are in `bytes`. Memory grows with what is there, not with what is asked for.
fn exactly(reader: &mut impl Read, mut bytes: Vec<u8>, count: usize) -> Result<Vec<u8>> {
    // What is reserved at once for sure is little.
    bytes.reserve(count.min(1 << 22));
    if reader.take(count as u64).read_to_end(&mut bytes)? == count {
        Ok(bytes)
    } else {
        Err(Problem::Damaged)
    }
}

/// Whether lengths are some, and together at most so much.
fn within(lengths: impl Iterator<Item = i64>, most: u64) -> Result<()> {
    let mut sum = 0_u64;
    for length in lengths {
        sum = sum.checked_add(u64::try_from(length).map_err(damaged)?).ok_or(Problem::Damaged)?;
    }
    if sum <= most { Ok(()) } else { Err(Problem::Damaged) }
}

/// How many bytes the compressed ones say that they stand for, if they can: the length is before them, and −1 if they are as they are.
fn unpacked_length(compressed: &[u8], codec: CompressionType) -> Result<usize> {
    // LZ4 adds 255 to a length with each byte. A block of Zstandard, of at least 4 bytes, holds 128 KiB.
    let most = if codec == CompressionType::LZ4_FRAME { 255 } else { 1 << 15 };
    // No bytes at all are an empty buffer.
    let Some((length, compressed)) = compressed.split_first_chunk() else {
        return if compressed.is_empty() { Ok(0) } else { Err(Problem::Damaged) };
    };
    match usize::try_from(i64::from_le_bytes(*length)) {
        Ok(length) if length <= compressed.len().saturating_mul(most) => Ok(length),
        Err(_) if i64::from_le_bytes(*length) == -1 => Ok(0),
        _ => Err(Problem::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use arrow_array::types::Int8Type;
    use arrow_array::{ArrayRef, DictionaryArray, Float64Array, StringArray};
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};

    use super::*;

    fn batch() -> RecordBatch {
        let towns: DictionaryArray<Int8Type> =
            [Some("Ulm"), None, Some("Bonn")].into_iter().cycle().take(24).collect();
        let texts: StringArray = (0..24).map(|row| (row % 7 > 0).then_some("yes")).collect();
        let numbers: Float64Array = (0..24).map(|row| Some(f64::from(row % 3))).collect();
        let columns: [(&str, ArrayRef); 3] =
            [("town", Arc::new(towns)), ("text", Arc::new(texts)), ("number", Arc::new(numbers))];
        RecordBatch::try_from_iter(columns).unwrap()
    }

    /// Two batches as a stream and as a file.
    fn written(compression: Option<CompressionType>) -> [Vec<u8>; 2] {
        let options = || IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let (batch, schema) = (batch(), batch().schema());
        let mut stream =
            StreamWriter::try_new_with_options(Vec::new(), &schema, options()).unwrap();
        let mut file = FileWriter::try_new_with_options(Vec::new(), &schema, options()).unwrap();
        for _ in 0..2 {
            stream.write(&batch).unwrap();
            file.write(&batch).unwrap();
        }
        [stream.into_inner().unwrap(), file.into_inner().unwrap()]
    }

    fn read(bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        if bytes.starts_with(b"ARROW1") {
            File::new(Cursor::new(bytes))?.collect()
        } else {
            Stream::new(bytes)?.collect()
        }
    }

    const FORMS: [Option<CompressionType>; 3] =
        [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];

    #[test]
    fn what_was_written_is_read() {
        for bytes in FORMS.into_iter().flat_map(written) {
            assert_eq!(read(&bytes).unwrap(), [batch(), batch()]);
        }
    }

    #[test]
    fn streams_of_old_programs_are_read() {
        let options = IpcWriteOptions::try_new(8, true, arrow_ipc::MetadataVersion::V4).unwrap();
        let mut stream =
            StreamWriter::try_new_with_options(Vec::new(), &batch().schema(), options).unwrap();
        stream.write(&batch()).unwrap();
        let bytes = stream.into_inner().unwrap();
        assert!(!bytes.starts_with(&CONTINUATION));
        assert_eq!(read(&bytes).unwrap(), [batch()]);
    }

    #[test]
    fn the_longest_runs_are_possible() {
        for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
            let options = IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
            let zeros = RecordBatch::try_from_iter([(
                "zeros",
                Arc::new(Float64Array::from(vec![0.0; 1 << 21])) as ArrayRef,
            )])
            .unwrap();
            let mut stream =
                StreamWriter::try_new_with_options(Vec::new(), &zeros.schema(), options).unwrap();
            stream.write(&zeros).unwrap();
            assert_eq!(read(&stream.into_inner().unwrap()).unwrap(), [zeros]);
        }
    }

    #[test]
    fn a_stream_that_is_cut_is_damaged() {
        for compression in FORMS {
            let [stream, file] = written(compression);
            // Without its last mark a stream has ended, too.
            let whole = stream.len() - 8;
            for end in (0..whole).step_by(4).filter(|&end| end % 8 != 0 || end < 8) {
                assert!(matches!(read(&stream[..end]), Err(Problem::Damaged)), "{end}");
            }
            assert_eq!(read(&stream[..whole]).unwrap().len(), 2);
            for end in (6..file.len()).step_by(5) {
                assert!(matches!(read(&file[..end]), Err(Problem::Damaged)), "{end}");
            }
        }
    }

    /// A byte that says what a message is must not make rows go away in silence.
    #[test]
    fn a_batch_of_no_known_kind_is_damaged() {
        for [stream, file] in FORMS.map(written) {
            for bytes in [stream, file] {
                let whole = read(&bytes).unwrap();
                let kinds =
                    (0..bytes.len()).filter(|&at| bytes[at] == MessageHeader::RecordBatch.0);
                for at in kinds {
                    for kind in [0, 1, 4, 5, 200] {
                        let mut bytes = bytes.clone();
                        bytes[at] = kind;
                        let read = read(&bytes);
                        assert!(
                            read.is_err() || read.is_ok_and(|read| read.len() == whole.len()),
                            "{at}"
                        );
                    }
                }
            }
        }
    }

    /// Lengths of all kinds, wherever one could be: each is refused, or makes other rows. None asks for memory that is not there, which would end the process, and none panics.
    #[test]
    fn no_length_is_believed() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !crate::foreign::is_reading() {
                hook(panic);
            }
        }));
        let long = [1_i64 << 40, i64::MAX, i64::MIN, -1, 1 << 31];
        for bytes in FORMS.into_iter().flat_map(written) {
            for at in (0..bytes.len() - 8).step_by(4) {
                for lie in long.into_iter().map(i64::to_le_bytes) {
                    for length in [4, 8] {
                        let mut bytes = bytes.clone();
                        // The upper half of such a number, or all of it.
                        bytes[at..][..length].copy_from_slice(&lie[8 - length..]);
                        let _ = read(&bytes);
                    }
                }
                let mut bytes = bytes.clone();
                bytes[at..][..4].copy_from_slice(&i32::MAX.to_le_bytes());
                let _ = read(&bytes);
            }
        }
        assert!(matches!(read(b"t-ot"), Err(Problem::Damaged)));
    }
}
