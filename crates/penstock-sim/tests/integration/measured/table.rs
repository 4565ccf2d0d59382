//! The measured tables of the documentation: one file `docs/data/NAME.csv` a table, which a page includes.
//!
//! A test measures the rows and compares them with the file, cell by cell: keys are equal, numbers lie within the tolerance
//! of their column. With `PENSTOCK_MEASURE=1`, as `make measured` sets it, the test writes the file instead.

use std::fmt::Write as _;
use std::path::PathBuf;

/// A column: its heading, the decimals it is written with, and how far a number may be from the one in the file.
pub(crate) struct Column {
    heading: &'static str,
    kind: Kind,
}

enum Kind {
    /// Names the row, and is the same in every run.
    Key,
    Number {
        decimals: usize,
        within: f64,
    },
}

/// A column that names the row.
pub(crate) fn key(heading: &'static str) -> Column {
    Column { heading, kind: Kind::Key }
}

/// A column of measured numbers; `within` is an absolute tolerance in the unit of the column.
pub(crate) fn number(heading: &'static str, decimals: usize, within: f64) -> Column {
    Column { heading, kind: Kind::Number { decimals, within } }
}

/// A cell of a row.
pub(crate) enum Cell {
    Key(String),
    Number(f64),
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Number(value)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Key(text.into())
    }
}

/// Keys that are numbers, written as Rust prints them.
pub(crate) fn named(value: &impl ToString) -> Cell {
    Cell::Key(value.to_string())
}

/// Compare `rows` with `docs/data/NAME.csv`, or write that file when `PENSTOCK_MEASURE` is set.
///
/// # Panics
///
/// If the file and the rows differ in a heading, a key or the number of rows, or in a number by more than the tolerance.
pub(crate) fn table(name: &str, columns: &[Column], rows: &[Vec<Cell>]) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/data/{name}.csv"));
    if std::env::var_os("PENSTOCK_MEASURE").is_some() {
        std::fs::write(&file, written(columns, rows)).expect("docs/data can be written");
        return;
    }
    let recorded = std::fs::read_to_string(&file).expect("`make measured` wrote the file");
    if let Err(difference) = compare(&recorded, columns, rows) {
        panic!("docs/data/{name}.csv: {difference}; `make measured` writes it again");
    }
}

fn written(columns: &[Column], rows: &[Vec<Cell>]) -> String {
    let mut text = columns.iter().map(|column| column.heading).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        let cells = columns.iter().zip(row).map(|(column, cell)| match (&column.kind, cell) {
            (Kind::Key, Cell::Key(key)) => key.clone(),
            (Kind::Number { decimals, .. }, Cell::Number(value)) => format!("{value:.decimals$}"),
            _ => panic!("{}: a key where a number belongs, or the other way round", column.heading),
        });
        writeln!(text, "{}", cells.collect::<Vec<_>>().join(",")).expect("a string can be written");
    }
    text
}

fn compare(recorded: &str, columns: &[Column], rows: &[Vec<Cell>]) -> Result<(), String> {
    let measured = written(columns, rows);
    if recorded.lines().count() != measured.lines().count() || recorded.lines().next() != measured.lines().next() {
        return Err(format!("headings or number of rows differ from\n{measured}"));
    }
    for (before, (now, row)) in recorded.lines().skip(1).zip(measured.lines().skip(1).zip(rows)) {
        let cells: Vec<&str> = before.split(',').collect();
        if cells.len() != columns.len() || row.len() != columns.len() {
            return Err(format!("{} cells in \"{before}\"", cells.len()));
        }
        for ((column, cell), text) in columns.iter().zip(row).zip(cells) {
            let same = match (&column.kind, cell) {
                (Kind::Number { within, .. }, Cell::Number(value)) => {
                    text.parse::<f64>().is_ok_and(|recorded| (value - recorded).abs() <= *within)
                }
                (_, Cell::Key(key)) => text == key,
                (Kind::Key, Cell::Number(_)) => false,
            };
            if !same {
                return Err(format!("{} was measured otherwise: \"{before}\" is now \"{now}\"", column.heading));
            }
        }
    }
    Ok(())
}

#[test]
fn a_number_beyond_its_tolerance_a_key_and_a_missing_row_are_noticed() {
    let columns = [key("p"), number("rate", 1, 0.5)];
    let row = |p: f64, rate: f64| vec![named(&p), rate.into()];
    let recorded = "p,rate\n0.1,10.0\n0.2,20.0\n";
    assert_eq!(written(&columns, &[row(0.1, 10.0), row(0.2, 20.0)]), recorded);
    assert_eq!(compare(recorded, &columns, &[row(0.1, 10.4), row(0.2, 19.6)]), Ok(()));
    assert!(compare(recorded, &columns, &[row(0.1, 10.6), row(0.2, 20.0)]).is_err());
    assert!(compare(recorded, &columns, &[row(0.3, 10.0), row(0.2, 20.0)]).is_err());
    assert!(compare(recorded, &columns, &[row(0.1, 10.0)]).is_err());
    assert!(compare("p,rate\n0.1,10.0\n0.2,none\n", &columns, &[row(0.1, 10.0), row(0.2, 20.0)]).is_err());
    assert!(compare(recorded, &columns, &[row(0.1, f64::NAN), row(0.2, 20.0)]).is_err());
}
