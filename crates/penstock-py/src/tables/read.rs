//! Reads the rows of a Parquet file.

use super::write::failed;
use bytes::Bytes;
use parquet::basic::ConvertedType;
use parquet::errors::Result;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::record::{Field, Row, RowAccessor};
use parquet::schema::types::Type;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::collections::HashSet;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Mutex;

/// A Parquet file.
#[pyclass(frozen, module = "penstock._native")]
pub(crate) struct Parquet {
    source: Source,
    /// By column: its name, its type, and whether its values are JSON.
    #[pyo3(get)]
    columns: Vec<(String, String, bool)>,
    /// Number of rows.
    #[pyo3(get)]
    count: i64,
    /// The value of the key `labels`.
    #[pyo3(get)]
    labels: Option<String>,
}

/// Where the content is.
enum Source {
    File(PathBuf),
    Memory(Bytes),
}

impl Source {
    fn open(&self) -> Result<Box<dyn FileReader>> {
        Ok(match self {
            Self::File(path) => Box::new(SerializedFileReader::new(File::open(path)?)?),
            Self::Memory(content) => Box::new(SerializedFileReader::new(content.clone())?),
        })
    }

    fn rows(&self, names: &[String]) -> Result<RowIter<'static>> {
        let reader = self.open()?;
        let columns = projection(&*reader, names)?;
        RowIter::from_file_into(reader).project(Some(columns))
    }
}

/// These columns of a file.
fn projection(reader: &dyn FileReader, names: &[String]) -> Result<Type> {
    let schema = reader.metadata().file_metadata().schema();
    let fields = schema.get_fields().iter();
    let wanted = names.iter().filter_map(|name| fields.clone().find(|field| field.name() == name).cloned());
    Type::group_type_builder(schema.name()).with_fields(wanted.collect()).build()
}

#[pymethods]
impl Parquet {
    /// The file at a path, or with this content. Raises `OSError` if it is not a complete Parquet file.
    #[new]
    fn new(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let source = match source.cast::<PyBytes>() {
            Ok(content) => Source::Memory(Bytes::copy_from_slice(content.as_bytes())),
            Err(_) => Source::File(source.extract()?),
        };
        let reader = source.open().map_err(failed)?;
        let file = reader.metadata().file_metadata();
        let columns = file.schema().get_fields().iter().map(|field| {
            let json = field.get_basic_info().converted_type() == ConvertedType::JSON;
            (field.name().to_owned(), format!("{field:?}"), json)
        });
        let labels = file.key_value_metadata().into_iter().flatten().find(|entry| entry.key == "labels");
        let labels = labels.and_then(|entry| entry.value.clone());
        Ok(Self { columns: columns.collect(), count: file.num_rows(), labels, source })
    }

    /// Iterate over lists of rows, each a tuple with the values of these columns; only rows of these scenarios if given.
    #[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
    #[pyo3(signature = (names, scenarios = None))]
    fn rows(&self, names: Vec<String>, scenarios: Option<HashSet<String>>) -> PyResult<Rows> {
        let open = || {
            let reader = self.source.open()?;
            let columns = projection(&*reader, &names)?;
            let key = projection(&*reader, &["scenario".to_owned()])?;
            Ok(Rows(Mutex::new(Groups { reader, next: 0, columns, key, scenarios })))
        };
        open().map_err(failed)
    }

    /// The runs: scenario, study, the first of consecutive seeds, and the seed after the last.
    fn runs(&self, py: Python<'_>) -> PyResult<Vec<(String, String, i64, i64)>> {
        py.detach(|| {
            let mut found: Vec<(String, String, i64, i64)> = Vec::new();
            for row in self.source.rows(&["scenario", "study", "seed"].map(str::to_owned))? {
                let row = row?;
                let (scenario, study, seed) = (row.get_string(0)?, row.get_string(1)?, row.get_long(2)?);
                match found.last_mut() {
                    Some(last) if last.3 == seed && last.0 == *scenario && last.1 == *study => last.3 += 1,
                    _ => found.push((scenario.clone(), study.clone(), seed, seed + 1)),
                }
            }
            Ok(found)
        })
        .map_err(failed)
    }
}

/// The groups of rows of a file.
struct Groups {
    reader: Box<dyn FileReader>,
    next: usize,
    columns: Type,
    /// The column of the scenarios.
    key: Type,
    scenarios: Option<HashSet<String>>,
}

impl Groups {
    /// The rows of the next group with wanted rows; none at the end. A group without a wanted scenario is not read.
    fn read(&mut self) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        while found.is_empty() && self.next < self.reader.num_row_groups() {
            let group = self.reader.get_row_group(self.next)?;
            self.next += 1;
            let rows = || RowIter::from_row_group(Some(self.columns.clone()), &*group);
            let Some(known) = &self.scenarios else {
                found = rows()?.collect::<Result<_>>()?;
                continue;
            };
            let keys = RowIter::from_row_group(Some(self.key.clone()), &*group)?;
            let wanted: Vec<bool> = keys.map(|row| Ok(known.contains(row?.get_string(0)?))).collect::<Result<_>>()?;
            if wanted.contains(&true) {
                let rows = rows()?.zip(wanted).filter_map(|(row, wanted)| wanted.then_some(row));
                found = rows.collect::<Result<_>>()?;
            }
        }
        Ok(found)
    }
}

/// The rows of a file, one group at a time.
#[pyclass(frozen, module = "penstock._native")]
pub(crate) struct Rows(Mutex<Groups>);

#[pymethods]
impl Rows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// The next rows. Raises `OSError` if the file is damaged.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let read: Result<Vec<Row>> = py.detach(|| match self.0.lock() {
            Ok(mut groups) => groups.read(),
            Err(_) => Ok(Vec::new()),
        });
        let read = read.map_err(failed)?;
        if read.is_empty() {
            return Ok(None);
        }
        let tuples = read.into_iter().map(|row| {
            let values = row.into_columns().into_iter().map(|(_, field)| value(py, field));
            PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
        });
        Ok(Some(PyList::new(py, tuples.collect::<PyResult<Vec<_>>>()?)?))
    }
}

/// The value in Python.
fn value(py: Python<'_>, field: Field) -> PyResult<Bound<'_, PyAny>> {
    match field {
        Field::Bool(flag) => flag.into_bound_py_any(py),
        Field::Int(whole) => whole.into_bound_py_any(py),
        Field::Long(whole) => whole.into_bound_py_any(py),
        Field::Double(number) => number.into_bound_py_any(py),
        Field::Str(text) => text.into_bound_py_any(py),
        Field::ListInternal(list) => {
            let items = list.elements().iter().map(|item| value(py, item.clone()));
            Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        _ => Ok(py.None().into_bound(py)),
    }
}
