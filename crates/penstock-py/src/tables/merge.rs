//! Joins Parquet files: their columns are copied as they are.

use super::column::{Column, Values};
use super::write::{failed, properties, write};
use parquet::basic::Type as Physical;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use pyo3::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Write the rows of files, one after the other, as one file, with `labels` under this key. Columns of the same name
/// have the same type; a file that lacks a column has no values for it.
///
/// # Errors
/// `OSError` if a file is damaged, or the target cannot be written.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "so that Python may give any sequence")]
pub(super) fn merge_parquet(py: Python<'_>, paths: Vec<PathBuf>, target: PathBuf, labels: String) -> PyResult<()> {
    py.detach(|| merge(&paths, &target, labels)).map_err(failed)
}

fn merge(paths: &[PathBuf], target: &Path, labels: String) -> Result<()> {
    let mut fields: Vec<TypePtr> = Vec::new();
    for path in paths {
        let (_, metadata) = opened(path)?;
        for field in metadata.file_metadata().schema().get_fields() {
            if !fields.iter().any(|known| known.name() == field.name()) {
                fields.push(Arc::clone(field));
            }
        }
    }
    let schema = Arc::new(Type::group_type_builder("runs").with_fields(fields).build()?);
    let metadata = vec![KeyValue::new("labels".to_owned(), labels)];
    let mut writer =
        SerializedFileWriter::new(File::create(target)?, schema, Arc::new(properties(Some(metadata)).build()))?;
    for path in paths {
        let (file, metadata) = opened(path)?;
        for group in metadata.row_groups() {
            let wanted = SchemaDescriptor::new(writer.schema_descr().root_schema_ptr());
            let mut target = writer.next_row_group()?;
            copy(&file, group, &wanted, &mut target)?;
            target.close()?;
        }
    }
    writer.close()?;
    Ok(())
}

fn opened(path: &Path) -> Result<(File, ParquetMetaData)> {
    let file = File::open(path)?;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?;
    Ok((file, metadata))
}

/// Copy the columns of a row group, and write the columns that it lacks without values.
fn copy(
    file: &File,
    group: &RowGroupMetaData,
    wanted: &SchemaDescriptor,
    target: &mut SerializedRowGroupWriter<'_, File>,
) -> Result<()> {
    for column in wanted.columns() {
        let found = group.columns().iter().find(|known| known.column_path() == column.path());
        if let Some(found) = found {
            let close = ColumnCloseResult {
                bytes_written: found.compressed_size() as u64,
                rows_written: group.num_rows() as u64,
                metadata: found.clone(),
                bloom_filter: None,
                column_index: None,
                offset_index: None,
            };
            target.append_column(file, close)?;
        } else if let Some(mut open) = target.next_column()? {
            let values = match column.physical_type() {
                Physical::BOOLEAN => Values::Flag(Vec::new()),
                Physical::INT32 => Values::Small(Vec::new()),
                Physical::INT64 => Values::Whole(Vec::new()),
                Physical::BYTE_ARRAY => Values::Text(Vec::new()),
                _ if column.max_rep_level() > 0 => Values::Numbers(Vec::new()),
                _ => Values::Empty,
            };
            let none = Column::without(values);
            write(&mut open, &none, group.num_rows() as usize, false)?;
            open.close()?;
        }
    }
    Ok(())
}
