//! Columns as the bytes of a Parquet file.

use super::column::{Cell, Column, Levels, Values};
use super::results::Results;
use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, GroupTypeBuilder, Type, TypePtr};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Rows whose levels are in memory at a time.
const BATCH: usize = 1024;

/// A column that is known before its table: name, type in SQL, values.
type Given<'py> = (String, String, Bound<'py, PyAny>);

/// The bytes of a Parquet file with these columns, and those of `results` after them.
///
/// A column has one value per row, or one value per entry of `counts`, which is repeated for that number of rows. Its
/// type is that of SQL; with `NOT NULL` every row has a value. `labels` is JSON that names the columns which are
/// labels.
#[pyfunction]
#[pyo3(signature = (columns, counts, results=None, labels=None))]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(super) fn write_parquet<'py>(
    py: Python<'py>,
    columns: Vec<Given<'py>>,
    counts: Vec<usize>,
    results: Option<&Results>,
    labels: Option<String>,
) -> PyResult<Bound<'py, PyBytes>> {
    let rows = counts.iter().sum();
    if results.is_some_and(|results| results.rows() != rows) {
        return Err(PyValueError::new_err("each row needs a result"));
    }
    let given = columns.iter().map(|column| read(column, &counts, rows)).collect::<PyResult<Vec<_>>>()?;
    let content = py.detach(|| {
        let results = results.map(Results::columns).unwrap_or_default();
        let results: Vec<_> = results.into_iter().map(|(name, column)| (field(&name, column, false), column)).collect();
        let given = given.iter().map(|(name, column, required)| (field(name, column, *required), column));
        let columns: Vec<_> = given.chain(results).collect();
        file(&columns, rows, labels)
    });
    Ok(PyBytes::new(py, &content.map_err(failed)?))
}

/// The exception for a failure of the library.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(super) fn failed(error: ParquetError) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// A given column: its name, values, and whether each row has one.
fn read((name, kind, values): &Given<'_>, counts: &[usize], rows: usize) -> PyResult<(String, Column, bool)> {
    let required = kind.ends_with(" NOT NULL");
    let cells: Vec<Option<Cell>> = match kind.trim_end_matches(" NOT NULL") {
        "INTEGER" => cells(values, Cell::Small)?,
        "BIGINT" => cells(values, Cell::Whole)?,
        "DOUBLE" => cells(values, Cell::Number)?,
        "BOOLEAN" => cells(values, Cell::Flag)?,
        "VARCHAR" => cells(values, Cell::Text)?,
        "JSON" => cells(values, Cell::Json)?,
        kind => return Err(PyValueError::new_err(format!("no type {kind}"))),
    };
    let each = if cells.len() == rows { &vec![1; rows] } else { counts };
    if cells.len() != each.len() {
        return Err(PyValueError::new_err(format!("{} values of {name} for {rows} rows", cells.len())));
    }
    let mut column = Column::default();
    let mut row = 0;
    for (cell, &count) in cells.into_iter().zip(each) {
        if let Some(cell) = cell {
            column.fill(row);
            column.push(cell);
            column.repeat(count - 1);
        }
        row += count;
    }
    Ok((name.clone(), column, required))
}

fn cells<'py, T>(values: &Bound<'py, PyAny>, cell: impl Fn(T) -> Cell) -> PyResult<Vec<Option<Cell>>>
where
    Vec<Option<T>>: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    Ok(values.extract::<Vec<Option<T>>>()?.into_iter().map(|value| value.map(&cell)).collect())
}

/// The type of a column, as DuckDB writes it.
fn field(name: &str, column: &Column, required: bool) -> TypePtr {
    let primitive = |name: &str, physical, converted, repetition| {
        let builder = Type::primitive_type_builder(name, physical).with_converted_type(converted);
        Arc::new(builder.with_repetition(repetition).build().expect("a type that Parquet has"))
    };
    let repetition = if required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
    let (physical, converted) = match &column.values {
        Values::Small(_) => (Physical::INT32, ConvertedType::INT_32),
        Values::Whole(_) => (Physical::INT64, ConvertedType::INT_64),
        Values::Empty | Values::Number(_) => (Physical::DOUBLE, ConvertedType::NONE),
        Values::Flag(_) => (Physical::BOOLEAN, ConvertedType::NONE),
        Values::Text(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
        Values::Json(_) => (Physical::BYTE_ARRAY, ConvertedType::JSON),
        Values::Numbers(_) => {
            let element = primitive("element", Physical::DOUBLE, ConvertedType::NONE, Repetition::OPTIONAL);
            let list = group("list", vec![element]).with_repetition(Repetition::REPEATED);
            let list = Arc::new(list.build().expect("a type that Parquet has"));
            let whole = group(name, vec![list]).with_repetition(repetition).with_converted_type(ConvertedType::LIST);
            return Arc::new(whole.build().expect("a type that Parquet has"));
        }
    };
    primitive(name, physical, converted, repetition)
}

fn group(name: &str, fields: Vec<TypePtr>) -> GroupTypeBuilder<'_> {
    Type::group_type_builder(name).with_fields(fields)
}

/// The bytes of a file with these columns; one with fewer rows than the file has no values in the last ones.
fn file(columns: &[(TypePtr, &Column)], rows: usize, labels: Option<String>) -> Result<Vec<u8>> {
    let fields = columns.iter().map(|(field, _)| Arc::clone(field)).collect();
    let schema = group("runs", fields).build()?;
    let mut properties = properties(labels.map(|labels| vec![KeyValue::new("labels".to_owned(), labels)]));
    for (field, column) in columns {
        let below: &[&str] = if column.is_list() { &["list", "element"] } else { &[] };
        let of = ColumnPath::new([&[field.name()], below].concat().into_iter().map(str::to_owned).collect());
        properties = match column.values {
            // Most measured numbers occur once, and no query skips a part of the file by their range.
            Values::Number(_) | Values::Numbers(_) => properties
                .set_column_dictionary_enabled(of.clone(), false)
                .set_column_statistics_enabled(of, EnabledStatistics::None),
            // The dictionary makes them small enough: starting a compression would take longer than everything else.
            Values::Small(_) | Values::Whole(_) | Values::Flag(_) => {
                properties.set_column_compression(of, Compression::UNCOMPRESSED)
            }
            // The same applies; in addition, finding the alphabetically first and last value takes as long as the rest.
            Values::Text(_) => properties
                .set_column_compression(of.clone(), Compression::UNCOMPRESSED)
                .set_column_statistics_enabled(of, EnabledStatistics::None),
            Values::Empty | Values::Json(_) => properties,
        };
    }
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties.build()))?;
    let mut row_group = writer.next_row_group()?;
    for (field, column) in columns {
        let Some(mut open) = row_group.next_column()? else { break };
        write(&mut open, column, rows, !field.is_optional())?;
        open.close()?;
    }
    row_group.close()?;
    writer.into_inner()
}

/// Write a column of a table with this number of rows; `required` if each row has a value.
pub(super) fn write(open: &mut SerializedColumnWriter<'_>, column: &Column, rows: usize, required: bool) -> Result<()> {
    let mut levels = Levels::default();
    let mut end = 0;
    for start in (0..rows).step_by(BATCH) {
        let values = end..end + column.levels(start..rows.min(start + BATCH), &mut levels);
        end = values.end;
        let definition = (!required).then_some(levels.definition.as_slice());
        let repetition = column.is_list().then_some(levels.repetition.as_slice());
        match &column.values {
            Values::Empty => open.typed::<DoubleType>().write_batch(&[], definition, repetition),
            Values::Small(all) => open.typed::<Int32Type>().write_batch(&all[values], definition, repetition),
            Values::Whole(all) => open.typed::<Int64Type>().write_batch(&all[values], definition, repetition),
            Values::Number(all) | Values::Numbers(all) => {
                open.typed::<DoubleType>().write_batch(&all[values], definition, repetition)
            }
            Values::Flag(all) => open.typed::<BoolType>().write_batch(&all[values], definition, repetition),
            Values::Text(all) | Values::Json(all) => {
                open.typed::<ByteArrayType>().write_batch(&all[values], definition, repetition)
            }
        }?;
    }
    Ok(())
}

/// How penstock writes Parquet. No page indices, as most columns have one page.
pub(super) fn properties(metadata: Option<Vec<KeyValue>>) -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_key_value_metadata(metadata)
}
