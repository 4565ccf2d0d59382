//! Converts TOML text to Python values, with the line of each key.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// Parse TOML.
///
/// Returns the values as a dictionary, and a dictionary from the path of each key (`links.bottleneck.queue.max_p`,
/// `links.core.queue.classes[0].name`) to its line, counted from 1. Dates are returned as `bytes`, so that they are not
/// mistaken for text. Raises `ValueError` with a JSON list of `{"line", "message"}`, all errors of the text at once.
#[pyfunction]
pub(crate) fn parse_toml<'py>(py: Python<'py>, text: &str) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>)> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::new(text);
    if !errors.is_empty() {
        let listed: Vec<_> = errors
            .iter()
            .map(|error| {
                let line = error.span().map(|span| lines.of(span.start));
                serde_json::json!({"line": line, "message": error.message()})
            })
            .collect();
        return Err(PyValueError::new_err(serde_json::Value::Array(listed).to_string()));
    }
    let reader = Reader { py, lines, places: PyDict::new(py) };
    let values = reader.table("", table.get_ref())?;
    Ok((values, reader.places))
}

struct Reader<'py> {
    py: Python<'py>,
    lines: Lines,
    places: Bound<'py, PyDict>,
}

impl<'py> Reader<'py> {
    fn table(&self, path: &str, table: &DeTable<'_>) -> PyResult<Bound<'py, PyDict>> {
        let values = PyDict::new(self.py);
        for (key, value) in table {
            let name: &str = key.get_ref();
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            self.places.set_item(&path, self.lines.of(key.span().start))?;
            values.set_item(name, self.value(&path, value)?)?;
        }
        Ok(values)
    }

    fn value(&self, path: &str, value: &Spanned<DeValue<'_>>) -> PyResult<Bound<'py, PyAny>> {
        match value.get_ref() {
            DeValue::String(text) => text.as_ref().into_bound_py_any(self.py),
            DeValue::Integer(number) => self.integer(number),
            DeValue::Float(number) => number.as_str().parse::<f64>().unwrap_or(f64::NAN).into_bound_py_any(self.py),
            DeValue::Boolean(flag) => flag.into_bound_py_any(self.py),
            DeValue::Datetime(date) => Ok(PyBytes::new(self.py, date.to_string().as_bytes()).into_any()),
            DeValue::Array(items) => {
                let list = PyList::empty(self.py);
                for (i, item) in items.iter().enumerate() {
                    let path = format!("{path}[{i}]");
                    self.places.set_item(&path, self.lines.of(item.span().start))?;
                    list.append(self.value(&path, item)?)?;
                }
                Ok(list.into_any())
            }
            DeValue::Table(table) => Ok(self.table(path, table)?.into_any()),
        }
    }

    /// A whole number; one beyond 128 bits becomes a float, which is then refused with the name of its key.
    fn integer(&self, number: &DeInteger<'_>) -> PyResult<Bound<'py, PyAny>> {
        match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(whole) => whole.into_bound_py_any(self.py),
            Err(_) => number.as_str().parse::<f64>().unwrap_or(f64::INFINITY).into_bound_py_any(self.py),
        }
    }
}

/// Offsets of the starts of lines.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect())
    }

    /// The line, from 1, of the byte at `offset`.
    fn of(&self, offset: usize) -> usize {
        self.0.partition_point(|&newline| newline < offset) + 1
    }
}
