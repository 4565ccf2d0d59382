//! A column in the form of Parquet: its values, and levels that place them in rows.

use parquet::data_type::ByteArray;

/// The level of a value that is there, or of a list; below it there is none.
pub(super) const PRESENT: i16 = 1;

/// The level of an element of a list. Level 2 would be an element without a value.
pub(super) const ELEMENT: i16 = 3;

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

/// A column. It begins with the type of its first value; whole numbers become numbers beside one, and values of no common type
/// become JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Column {
    pub(super) values: Values,
    /// One for each row; of lists one for each element, and one for a row without any.
    definition: Vec<i16>,
    /// Of lists: whether an entry of `definition` continues a list.
    repetition: Vec<i16>,
    rows: usize,
}

impl Column {
    /// A column without rows, for values of this type.
    pub(super) fn without(values: Values) -> Self {
        Self { values, ..Self::default() }
    }

    /// Rows without a value up to this number.
    pub(super) fn fill(&mut self, rows: usize) {
        let missing = rows.saturating_sub(self.rows);
        self.definition.resize(self.definition.len() + missing, 0);
        if matches!(self.values, Values::Numbers(_)) {
            self.repetition.resize(self.definition.len(), 0);
        }
        self.rows = self.rows.max(rows);
    }

    /// Its levels of definition, and of lists those of repetition, for this number of rows.
    pub(super) fn levels(&self, rows: usize) -> (Vec<i16>, Option<Vec<i16>>) {
        let length = self.definition.len() + rows - self.rows;
        let extended = |levels: &[i16]| {
            let mut levels = levels.to_vec();
            levels.resize(length, 0);
            levels
        };
        let is_list = matches!(self.values, Values::Numbers(_));
        (extended(&self.definition), is_list.then(|| extended(&self.repetition)))
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
                let entries = list.len().max(1);
                self.definition
                    .resize(self.definition.len() + entries, if list.is_empty() { PRESENT } else { ELEMENT });
                self.repetition.push(0);
                self.repetition.resize(self.definition.len(), 1);
                values.extend(list);
                self.rows += 1;
                return;
            }
            (_, cell) => {
                self.widen(&cell);
                return self.push(cell);
            }
        }
        self.definition.push(PRESENT);
        self.rows += 1;
    }

    /// Repeat the last row, which has a value that is no list.
    pub(super) fn repeat(&mut self, times: usize) {
        match &mut self.values {
            Values::Empty => return,
            Values::Small(values) => repeat_last(values, times),
            Values::Whole(values) => repeat_last(values, times),
            Values::Number(values) | Values::Numbers(values) => repeat_last(values, times),
            Values::Flag(values) => repeat_last(values, times),
            Values::Text(values) | Values::Json(values) => repeat_last(values, times),
        }
        self.definition.resize(self.definition.len() + times, PRESENT);
        self.rows += times;
    }

    fn begin(&mut self, cell: &Cell) {
        self.values = match cell {
            Cell::Small(_) => Values::Small(Vec::new()),
            Cell::Whole(_) => Values::Whole(Vec::new()),
            Cell::Number(_) => Values::Number(Vec::new()),
            Cell::Flag(_) => Values::Flag(Vec::new()),
            Cell::Text(_) => Values::Text(Vec::new()),
            Cell::Numbers(_) => Values::Numbers(Vec::new()),
            Cell::Json(_) => Values::Json(Vec::new()),
        };
        if let Values::Numbers(_) = self.values {
            self.repetition.resize(self.definition.len(), 0);
        }
    }

    /// Change the type of all values to one that this cell has too.
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
                let lists = self.lists(&values);
                self.definition = lists.iter().map(|list| PRESENT * i16::from(list.is_some())).collect();
                self.repetition.clear();
                json(lists.into_iter().flatten().map(Cell::Numbers))
            }
            (values @ (Values::Json(_) | Values::Empty), _) => values,
        };
    }

    /// The lists that these numbers are, by row.
    fn lists(&self, values: &[f64]) -> Vec<Option<Vec<f64>>> {
        let mut values = values.iter().copied();
        let mut lists: Vec<Option<Vec<f64>>> = Vec::with_capacity(self.rows);
        for (&defined, &repeated) in self.definition.iter().zip(&self.repetition) {
            if repeated == 0 {
                lists.push((defined > 0).then(Vec::new));
            }
            if defined == ELEMENT
                && let Some(Some(list)) = lists.last_mut()
            {
                list.extend(values.next());
            }
        }
        lists
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
