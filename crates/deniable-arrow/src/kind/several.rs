//! Several of a list.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait};
use arrow_schema::DataType;
use deniable::estimate::{BitCounts, FrequencyOracle};
use deniable::mechanism::randomized_response_bitvec::smallest_f;
use deniable::prelude::*;
use deniable::{RandomizedResponseBitvec, Spec};
use indexmap::IndexSet;

use super::packed::{Packed, word};
use super::{Asked, Budget, Read, budget, choices, epsilon, short, written};
use crate::Result;
use crate::columns;
use crate::counts::Tally;
use crate::estimate::{How, QuestionEstimate};
use crate::survey::fields::{Fields, Wrong};

/// Between choices of an answer that is one text.
const SEPARATOR: char = ';';

/// A question with several answers, each a bit of a vector, by randomized response on all of them.
#[derive(Clone, Debug)]
pub struct Several {
    mechanism: RandomizedResponseBitvec,
    choices: IndexSet<String>,
    most: usize,
}

impl Several {
    /// How an answer is randomized.
    pub fn mechanism(&self) -> &RandomizedResponseBitvec {
        &self.mechanism
    }

    /// What can be ticked.
    pub fn choices(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.choices.iter().map(String::as_str)
    }

    /// How many of them count: the first ones, in their order.
    pub fn most(&self) -> usize {
        self.most
    }

    pub(super) fn read(mut fields: Fields<'_>) -> Read<Self> {
        let choices = choices(&mut fields, 1)?;
        if choices.iter().any(|choice| choice.contains(SEPARATOR)) {
            return Err(Wrong::at(
                fields.at,
                "a choice has a ; in it, which stands between choices where an answer is one text; accepted are choices without",
            ));
        }
        let most = fields.count("most")?;
        let most = fields.required(most, "most")?;
        if !(1..=choices.len()).contains(&most.value) {
            let accepted =
                format!("`most` is not in its range; accepted are 1 to {}", choices.len());
            return Err(most.refused(accepted));
        }
        let f = fields.number("f")?;
        let at = f.as_ref().map_or(fields.at, |f| f.at);
        let domain = BitVectorDomain::new(choices.len()).with_max_weight(most.value);
        let refused = |error: deniable::Error| Wrong::at(at, error.to_string());
        let f = match budget(&mut fields, "`f`", f)? {
            Budget::Own(f) => f.value,
            Budget::Epsilon(field) => {
                smallest_f(&domain, epsilon(&field)?).map_err(|error| field.refused(error))?
            }
        };
        fields.finish("a several question")?;
        let mechanism =
            make_randomized_response_bitvec(domain, DiscreteDistance, f, false).map_err(refused)?;
        mechanism.channel().map_err(refused)?;
        Ok(Several { mechanism, choices, most: most.value })
    }

    fn packed(&self) -> Packed {
        Packed::bits(self.choices.len())
    }

    fn row_words(&self) -> usize {
        self.choices.len().div_ceil(64)
    }

    /// Rows of the answers.
    fn rows(&self, answers: &dyn Array) -> Vec<u64> {
        let mut rows = vec![0; answers.len() * self.row_words()];
        match answers.data_type() {
            DataType::FixedSizeBinary(_) => self.fill_from_bytes(answers, &mut rows),
            integer if integer.is_integer() => self.fill_from_masks(answers, &mut rows),
            DataType::List(_) => self.fill_from_offsets(answers.as_list::<i32>(), &mut rows),
            DataType::LargeList(_) => self.fill_from_offsets(answers.as_list::<i64>(), &mut rows),
            DataType::FixedSizeList(_, size) => {
                let (lists, size) = (answers.as_fixed_size_list(), *size as usize);
                self.fill_from_lists(
                    lists.values(),
                    |i| (!lists.is_null(i)).then(|| size * i..size * (i + 1)),
                    &mut rows,
                );
            }
            _ => self.fill_from_texts(answers, &mut rows),
        }
        rows.chunks_mut(self.row_words()).for_each(|row| self.keep_most(row));
        rows
    }

    fn tick(&self, row: &mut [u64], choice: &str) {
        if let Some(place) = self.choices.get_index_of(choice.trim()) {
            row[place / 64] |= 1 << (place % 64);
        }
    }

    fn fill_from_texts(&self, answers: &dyn Array, rows: &mut [u64]) {
        for (text, row) in columns::texts(answers).iter().zip(rows.chunks_mut(self.row_words())) {
            text.into_iter()
                .flat_map(|text| text.split(SEPARATOR))
                .for_each(|choice| self.tick(row, choice));
        }
    }

    fn fill_from_offsets<O: OffsetSizeTrait>(&self, lists: &GenericListArray<O>, rows: &mut [u64]) {
        let end = |i: usize| lists.value_offsets()[i].as_usize();
        let range = |i: usize| (!lists.is_null(i)).then(|| end(i)..end(i + 1));
        self.fill_from_lists(lists.values(), range, rows);
    }

    fn fill_from_lists(
        &self,
        values: &ArrayRef,
        range: impl Fn(usize) -> Option<std::ops::Range<usize>>,
        rows: &mut [u64],
    ) {
        let texts = columns::texts(values);
        for (i, row) in rows.chunks_mut(self.row_words()).enumerate() {
            let values = range(i).into_iter().flatten().filter_map(|value| texts.get(value));
            values.for_each(|choice| self.tick(row, choice));
        }
    }

    /// Bit i of a number is choice i.
    fn fill_from_masks(&self, answers: &dyn Array, rows: &mut [u64]) {
        let masks = columns::cast(answers, &DataType::UInt64);
        let masks = masks.as_primitive::<UInt64Type>().iter();
        for (mask, row) in masks.zip(rows.chunks_mut(self.row_words())) {
            row[0] = mask.unwrap_or(0);
        }
        self.mask_last(rows);
    }

    fn fill_from_bytes(&self, answers: &dyn Array, rows: &mut [u64]) {
        let binary = answers.as_fixed_size_binary();
        for (i, row) in
            rows.chunks_mut(self.row_words()).enumerate().filter(|(i, _)| !binary.is_null(*i))
        {
            for (word_of, bytes) in row.iter_mut().zip(binary.value(i).chunks(8)) {
                *word_of = word(bytes);
            }
        }
        self.mask_last(rows);
    }

    /// Without the bits behind the last choice.
    fn mask_last(&self, rows: &mut [u64]) {
        rows.chunks_mut(self.row_words())
            .for_each(|row| columns::mask_last(row, self.choices.len()));
    }

    /// The first `most` ticks and no others.
    fn keep_most(&self, row: &mut [u64]) {
        let mut left = self.most as u32;
        for word in row {
            while word.count_ones() > left {
                *word &= !(1 << (63 - word.leading_zeros()));
            }
            left -= word.count_ones();
        }
    }
}

impl Asked for Several {
    fn epsilon(&self) -> Epsilon {
        self.mechanism.map(1).expect("a distance")
    }

    fn mechanism(&self) -> String {
        let (k, f) = (self.choices.len(), short(self.mechanism.f()));
        format!("randomized response on {k} bits, each of them noise with probability {f}")
    }

    fn described(&self) -> String {
        let choices: Vec<&str> = self.choices().collect();
        written(&(Spec::from(&self.mechanism), choices))
    }

    fn accepts(&self, answers: &DataType) -> bool {
        match answers {
            DataType::FixedSizeBinary(bytes) => *bytes as usize == self.choices.len().div_ceil(8),
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
                columns::is_text_like(item.data_type())
            }
            integer if integer.is_integer() => self.choices.len() <= 64,
            other => columns::is_text_like(other),
        }
    }

    fn accepted(&self) -> &'static str {
        "lists of texts, texts with ; between the choices, bits of up to 64 choices as a number, and binary values with a bit for each choice"
    }

    fn report_type(&self) -> DataType {
        self.packed().data_type()
    }

    fn randomize(&self, answers: &dyn Array) -> Result<ArrayRef> {
        let mut rows = self.rows(answers);
        self.mechanism.invoke_rows(&mut rows)?;
        Ok(self.packed().column_of_words(rows))
    }

    fn understood(&self, answers: &dyn Array) -> Vec<Vec<u8>> {
        let rows = self.rows(answers);
        let bytes = |row: &[u64]| row.iter().flat_map(|word| word.to_le_bytes()).collect();
        rows.chunks(self.row_words()).map(bytes).collect()
    }

    fn tally(&self) -> Tally {
        Tally::Values(BitCounts::new(self.choices.len()))
    }

    fn count(&self, reports: &dyn Array, tally: &mut Tally) -> Result<()> {
        let rows = self.packed().rows_of_words(reports)?;
        Ok(tally.values_mut()?.add_rows(&rows)?)
    }

    fn estimate(&self, tally: &Tally, how: &How) -> Result<QuestionEstimate> {
        let estimates = self.mechanism.estimate(tally.values()?)?;
        QuestionEstimate::of_values(self.choices(), &estimates, how)
    }
}
