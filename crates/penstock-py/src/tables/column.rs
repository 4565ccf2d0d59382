//! A column of a table, and the levels by which Parquet places its values in rows.

use parquet::data_type::ByteArray;
use std::ops::Range;

/// The level of a present value, or of a list; a lower level means that there is none.
const PRESENT: i16 = 1;

/// The level of an element of a list. Level 2 would be an element without a value.
const ELEMENT: i16 = 3;

/// The values of a column, one after the other; rows without a value have none here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Values {
    /// There is no value yet.
    #[default]
    Empty,
    Small(Vec<i32>),
    Whole(Vec<i64>),
    Number(Vec<f64>),
    Flag(Vec<bool>),
    Text(Vec<ByteArray>),
    /// Lists of numbers, one after the other.
    Numbers(Vec<f64>),
    /// Anything else, as JSON.
    Json(Vec<ByteArray>),
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Small(i32),
    Whole(i64),
    Number(f64),
    Flag(bool),
    Text(String),
    Numbers(Vec<f64>),
    Json(String),
}

/// A column. It begins with the type of its first value; whole numbers become numbers if a number joins them, and
/// values without a common type become JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Column {
    pub(super) values: Values,
    /// Number of rows.
    rows: usize,
    /// Whether each row has a value; empty as long as all have one.
    present: Vec<bool>,
    /// Of lists: the number of elements of each row.
    lengths: Vec<u32>,
}

/// Levels that place values in rows.
#[derive(Default)]
pub(super) struct Levels {
    /// One for each row; for lists one for each element, and one for a row without any.
    pub(super) definition: Vec<i16>,
    /// Of lists: whether an entry of `definition` continues a list.
    pub(super) repetition: Vec<i16>,
}

impl Column {
    /// A column without rows, for values of this type.
    pub(super) fn without(values: Values) -> Self {
        Self { values, ..Self::default() }
    }

    /// A column without rows, with room for this number of rows with values like this one.
    pub(super) fn for_rows(cell: &Cell, rows: usize) -> Self {
        Self { values: Values::like(cell, rows), ..Self::default() }
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.values, Values::Numbers(_))
    }

    /// Rows without a value up to this number.
    pub(super) fn fill(&mut self, rows: usize) {
        if rows > self.rows {
            self.extend(rows - self.rows, false);
        }
    }

    /// More rows that all have a value, or none.
    #[inline]
    fn extend(&mut self, rows: usize, present: bool) {
        if !(present && self.present.is_empty()) {
            self.present.resize(self.rows, true);
            self.present.resize(self.rows + rows, present);
        }
        self.rows += rows;
        if self.is_list() {
            self.lengths.resize(self.rows, 0);
        }
    }

    /// Whether this row has a value.
    #[inline]
    fn has(&self, row: usize) -> bool {
        row < self.rows && self.present.get(row).is_none_or(|present| *present)
    }

    /// The levels of these rows, and the number of values in them. The column may have fewer rows than its table.
    pub(super) fn levels(&self, rows: Range<usize>, levels: &mut Levels) -> usize {
        let Levels { definition, repetition } = levels;
        definition.clear();
        repetition.clear();
        if self.present.is_empty() && !self.is_list() && rows.end <= self.rows {
            // The usual case, in which each row has a value.
            definition.resize(rows.len(), PRESENT);
            return rows.len();
        }
        let mut values = 0;
        for row in rows {
            match self.has(row) {
                true if self.is_list() => {
                    let length = self.lengths[row] as usize;
                    values += length;
                    let entries = definition.len() + length.max(1);
                    definition.resize(entries, if length > 0 { ELEMENT } else { PRESENT });
                    repetition.push(0);
                    repetition.resize(entries, 1);
                }
                present => {
                    values += usize::from(present);
                    definition.push(PRESENT * i16::from(present));
                    repetition.push(0);
                }
            }
        }
        values
    }

    /// Add a row.
    pub(super) fn push(&mut self, cell: Cell) {
        if let Values::Empty = self.values {
            self.begin(&cell);
        }
        match (&mut self.values, cell) {
            (Values::Small(values), Cell::Small(value)) => values.push(value),
            (Values::Whole(values), Cell::Whole(value)) => values.push(value),
            (Values::Number(values), Cell::Number(value)) => values.push(value),
            (Values::Number(values), Cell::Whole(value)) => values.push(value as f64),
            (Values::Flag(values), Cell::Flag(value)) => values.push(value),
            (Values::Text(values), Cell::Text(value)) => values.push(value.into_bytes().into()),
            (Values::Json(values), cell) => values.push(cell.json().into_bytes().into()),
            (Values::Numbers(values), Cell::Numbers(list)) => {
                values.extend_from_slice(&list);
                self.extend(1, true);
                self.lengths[self.rows - 1] = list.len() as u32;
                return;
            }
            (_, cell) => {
                self.widen(&cell);
                return self.push(cell);
            }
        }
        self.extend(1, true);
    }

    /// Repeat the last row, whose value is not a list.
    pub(super) fn repeat(&mut self, times: usize) {
        match &mut self.values {
            Values::Empty => return,
            Values::Small(values) => repeat_last(values, times),
            Values::Whole(values) => repeat_last(values, times),
            Values::Number(values) | Values::Numbers(values) => repeat_last(values, times),
            Values::Flag(values) => repeat_last(values, times),
            Values::Text(values) | Values::Json(values) => repeat_last(values, times),
        }
        self.extend(times, true);
    }

    fn begin(&mut self, cell: &Cell) {
        self.values = Values::like(cell, 0);
        self.extend(0, false);
    }

    /// Change the type of all values to one that also fits this cell.
    fn widen(&mut self, cell: &Cell) {
        self.values = match (std::mem::take(&mut self.values), cell) {
            (Values::Small(values), _) => json(values.into_iter().map(Cell::Small)),
            (Values::Whole(values), Cell::Number(_)) => {
                Values::Number(values.into_iter().map(|value| value as f64).collect())
            }
            (Values::Whole(values), _) => json(values.into_iter().map(Cell::Whole)),
            (Values::Number(values), _) => json(values.into_iter().map(Cell::Number)),
            (Values::Flag(values), _) => json(values.into_iter().map(Cell::Flag)),
            (Values::Text(values), _) => json(values.iter().map(|text| Cell::Text(text_of(text)))),
            (Values::Numbers(values), _) => {
                let mut rest = values.as_slice();
                let lengths = std::mem::take(&mut self.lengths);
                let lists = lengths.into_iter().enumerate().filter(|(row, _)| self.has(*row)).map(|(_, length)| {
                    let (list, others) = rest.split_at(length as usize);
                    rest = others;
                    Cell::Numbers(list.to_vec())
                });
                json(lists)
            }
            (values @ (Values::Json(_) | Values::Empty), _) => values,
        };
    }
}

impl Values {
    /// No values yet, with room for this number of rows with values like this one.
    fn like(cell: &Cell, rows: usize) -> Self {
        match cell {
            Cell::Small(_) => Self::Small(Vec::with_capacity(rows)),
            Cell::Whole(_) => Self::Whole(Vec::with_capacity(rows)),
            Cell::Number(_) => Self::Number(Vec::with_capacity(rows)),
            Cell::Flag(_) => Self::Flag(Vec::with_capacity(rows)),
            Cell::Text(_) => Self::Text(Vec::with_capacity(rows)),
            Cell::Numbers(list) => Self::Numbers(Vec::with_capacity(rows * list.len())),
            Cell::Json(_) => Self::Json(Vec::with_capacity(rows)),
        }
    }
}

fn repeat_last<T: Clone>(values: &mut Vec<T>, times: usize) {
    if let Some(last) = values.last().cloned() {
        values.resize(values.len() + times, last);
    }
}

fn json(cells: impl Iterator<Item = Cell>) -> Values {
    Values::Json(cells.map(|cell| cell.json().into_bytes().into()).collect())
}

fn text_of(bytes: &ByteArray) -> String {
    String::from_utf8_lossy(bytes.data()).into_owned()
}

impl Cell {
    fn json(self) -> String {
        match self {
            Self::Small(value) => value.to_string(),
            Self::Whole(value) => value.to_string(),
            Self::Number(value) => serde_json::Value::from(value).to_string(),
            Self::Flag(value) => value.to_string(),
            Self::Text(text) => serde_json::Value::from(text).to_string(),
            Self::Numbers(list) => serde_json::Value::from(list).to_string(),
            Self::Json(text) => text,
        }
    }
}
