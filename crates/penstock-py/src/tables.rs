//! Tables of runs in columns, as Parquet files.

mod column;
mod merge;
mod read;
mod results;
mod write;

pub(crate) use results::Results;

use pyo3::prelude::*;

/// Add the functions of this file and those below it.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Results>()?;
    module.add_class::<read::Parquet>()?;
    module.add_class::<read::Rows>()?;
    module.add_function(wrap_pyfunction!(write::write_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(merge::merge_parquet, module)?)
}
