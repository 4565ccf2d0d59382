//! Results of runs in columns, a column for each path of a result, such as `links.bottleneck.drops`.

use super::column::{Cell, Column};
use penstock_link::metrics::{Metric, Metrics};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The keys of a result that are kept, in the order of the table, and the number of keys that lead to a value.
const KEPT: [(&str, usize); 7] =
    [("events", 1), ("cpu_s", 1), ("links", 3), ("traffic", 3), ("dscp", 3), ("fairness", 2), ("kept", 2)];

/// Results of runs, one row per run.
#[pyclass(frozen, module = "penstock._native")]
#[derive(Default)]
pub(crate) struct Results {
    rows: usize,
    /// Number of rows for which columns have room from the beginning.
    expected: usize,
    root: Tree,
}

#[pymethods]
impl Results {
    /// Results that are given as JSON texts. Raises `ValueError` if a text is not a JSON object, or has a value where a
    /// table is required.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
    fn new(py: Python<'_>, texts: Vec<String>) -> PyResult<Self> {
        py.detach(|| {
            let mut results = Self::default();
            texts.iter().try_for_each(|text| results.add_text(text)).map(|()| results)
        })
        .map_err(|error: serde_json::Error| PyValueError::new_err(error.to_string()))
    }

    /// The names of the columns.
    fn names(&self) -> Vec<String> {
        self.columns().into_iter().map(|(name, _)| name).collect()
    }
}

impl Results {
    /// No results yet, with room for this number of rows.
    pub(crate) fn for_rows(expected: usize) -> Self {
        Self { expected, ..Self::default() }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Add the result of a run that took this processor time.
    pub(crate) fn add(&mut self, result: Metrics, cpu_s: f64) {
        for (name, value) in result {
            if let Some((_, depth)) = KEPT.iter().find(|(kept, _)| *kept == name) {
                self.root.below(name).add(value, depth - 1, self.rows, self.expected);
            }
        }
        self.root.below(Cow::Borrowed("cpu_s")).put(Cell::Number(cpu_s), self.rows, self.expected);
        self.rows += 1;
    }

    fn add_text(&mut self, text: &str) -> serde_json::Result<()> {
        let result = table(text)?;
        for (name, depth) in KEPT {
            if let Some(value) = result.get(name) {
                self.root.below(Cow::Borrowed(name)).add_text(value.get(), depth - 1, self.rows, name == "kept")?;
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// The columns by name, in the order of the table. Some may have fewer rows than the table.
    pub(super) fn columns(&self) -> Vec<(String, &Column)> {
        let mut found = Vec::new();
        for (name, _) in KEPT {
            if let Some((_, tree)) = self.root.below.iter().find(|(known, _)| known == name) {
                tree.list(name, &mut found);
            }
        }
        found
    }
}

/// Values by their paths: a column, or the trees below by the next key.
#[derive(Default)]
struct Tree {
    column: Option<Column>,
    below: Vec<(Cow<'static, str>, Tree)>,
    /// The place of the key that is expected next: results have the same keys in the same order.
    next: usize,
}

impl Tree {
    fn below(&mut self, name: Cow<'static, str>) -> &mut Self {
        // Most names share the same memory in all runs, so they need not be compared.
        let is_name = |known: &str| std::ptr::eq(known, &raw const *name) || known == name;
        let expected = self.below.get(self.next).is_some_and(|(known, _)| is_name(known));
        if !expected {
            let found = self.below.iter().position(|(known, _)| is_name(known));
            self.next = found.unwrap_or_else(|| {
                self.below.push((name, Self::default()));
                self.below.len() - 1
            });
        }
        let place = self.next;
        self.next = (place + 1) % self.below.len();
        &mut self.below[place].1
    }

    /// Add the values of a run, this number of keys further down.
    fn add(&mut self, value: Metric, depth: usize, row: usize, expected: usize) {
        match value {
            Metric::Table(table) if depth > 0 => {
                for (name, value) in table {
                    self.below(name).add(value, depth - 1, row, expected);
                }
            }
            value => self.put(cell(value), row, expected),
        }
    }

    /// The same for values as JSON; with `exact`, all values except numbers are kept as they are written.
    fn add_text(&mut self, text: &str, depth: usize, row: usize, exact: bool) -> serde_json::Result<()> {
        if depth == 0 {
            let found = cell_of(text)?;
            let number = matches!(found, None | Some(Cell::Whole(_) | Cell::Number(_)));
            self.set(if exact && !number { Some(Cell::Json(text.to_owned())) } else { found }, row);
            return Ok(());
        }
        table(text)?.iter().try_for_each(|(name, value)| {
            self.below(Cow::Owned(name.to_string())).add_text(value.get(), depth - 1, row, exact)
        })
    }

    fn set(&mut self, cell: Option<Cell>, row: usize) {
        match cell {
            Some(cell) => self.put(cell, row, 0),
            None => self.column.get_or_insert_default().fill(row),
        }
    }

    fn put(&mut self, cell: Cell, row: usize, expected: usize) {
        let column = self.column.get_or_insert_with(|| Column::for_rows(&cell, expected));
        column.fill(row);
        column.push(cell);
    }

    fn list<'a>(&'a self, path: &str, found: &mut Vec<(String, &'a Column)>) {
        found.extend(self.column.iter().map(|column| (path.to_owned(), column)));
        let ordered: BTreeMap<_, _> = self.below.iter().map(|(name, tree)| (name, tree)).collect();
        for (name, tree) in ordered {
            tree.list(&format!("{path}.{name}"), found);
        }
    }
}

/// A table of JSON with the texts of its values.
fn table(text: &str) -> serde_json::Result<BTreeMap<Cow<'_, str>, &RawValue>> {
    serde_json::from_str(text)
}

/// The value of a metric.
fn cell(value: Metric) -> Cell {
    match value {
        // Databases have no integers beyond signed 64 bits.
        Metric::Count(count) => i64::try_from(count).map_or(Cell::Number(count as f64), Cell::Whole),
        Metric::Number(number) => Cell::Number(number),
        Metric::List(list) => Cell::Numbers(list),
        value => Cell::Json(serde_json::json!(value).to_string()),
    }
}

/// The value in a JSON text. Numbers are parsed by Rust, which is exact; `serde_json` is not.
fn cell_of(text: &str) -> serde_json::Result<Option<Cell>> {
    let json = || Cell::Json(text.to_owned());
    Ok(Some(match text.as_bytes().first() {
        Some(b'n') => return Ok(None),
        Some(b't' | b'f') => Cell::Flag(text.starts_with('t')),
        Some(b'"') => Cell::Text(serde_json::from_str(text)?),
        Some(b'[') => {
            let list: Vec<&RawValue> = serde_json::from_str(text)?;
            let numbers: Option<Vec<f64>> = list.iter().map(|item| number(item.get())).collect();
            numbers.map_or_else(json, Cell::Numbers)
        }
        Some(b'{') => json(),
        _ => text.parse().map_or_else(|_| number(text).map_or_else(json, Cell::Number), Cell::Whole),
    }))
}

/// The number in a JSON text, if it is one.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|_| text.starts_with(|first: char| first == '-' || first.is_ascii_digit()))
}
