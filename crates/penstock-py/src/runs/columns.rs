//! The columns of a table of results: the values that their JSON texts contain, and the type of each.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// There is no value yet.
    #[default]
    Empty,
    Whole,
    Number,
    Flag,
    Text,
    /// A list of numbers.
    Numbers,
    /// Anything else, as JSON.
    Json,
}

impl Kind {
    /// The type of a column that has values of both types.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Empty, kind) | (kind, Self::Empty) => kind,
            (Self::Whole, Self::Number) | (Self::Number, Self::Whole) => Self::Number,
            (one, two) if one == two => one,
            _ => Self::Json,
        }
    }

    /// Its name in SQL.
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "BIGINT",
            Self::Empty | Self::Number => "DOUBLE",
            Self::Flag => "BOOLEAN",
            Self::Text => "VARCHAR",
            Self::Numbers => "DOUBLE[]",
            Self::Json => "JSON",
        }
    }
}

/// The columns of a table of values: of its own value, or of the tables below.
#[derive(Default)]
struct Columns {
    kind: Kind,
    /// Number of keys that still lead to a value.
    depth: usize,
    below: BTreeMap<String, Columns>,
}

impl Columns {
    fn of_depth(depth: usize) -> Self {
        Self { depth, ..Self::default() }
    }

    fn list(&self, path: &mut Vec<String>, found: &mut Vec<(Vec<String>, &'static str)>) {
        if self.depth == 0 {
            found.push((path.clone(), self.kind.name()));
        }
        for (name, below) in &self.below {
            path.push(name.clone());
            below.list(path, found);
            path.pop();
        }
    }
}

/// The columns of results, given as JSON texts: the keys that lead to each value, and the type of the column in SQL. `depth`
/// gives, by first key, the number of keys that lead to a value, if it is more than one; a table below is one value.
///
/// # Errors
/// `ValueError` if a text is not a JSON object, or has a value where a table is due.
#[pyfunction]
pub(crate) fn columns(
    py: Python<'_>,
    texts: Vec<String>,
    depth: BTreeMap<String, usize>,
) -> PyResult<Vec<(Vec<String>, &'static str)>> {
    py.detach(move || columns_of(&texts, &depth)).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn columns_of(
    texts: &[impl AsRef<str>],
    depth: &BTreeMap<String, usize>,
) -> serde_json::Result<Vec<(Vec<String>, &'static str)>> {
    let deeper = depth.iter().map(|(name, &keys)| (name.clone(), Columns::of_depth(keys - 1)));
    let mut root = Columns { depth: 1, below: deeper.collect(), ..Columns::default() };
    for text in texts {
        let mut reader = serde_json::Deserializer::from_str(text.as_ref());
        root.deserialize(&mut reader)?;
        reader.end()?;
    }
    let mut found = Vec::new();
    root.list(&mut Vec::new(), &mut found);
    Ok(found)
}

/// Reading a value adds its type to the columns; nothing of it is kept.
impl<'de> DeserializeSeed<'de> for &mut Columns {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        if self.depth > 0 {
            return reader.deserialize_any(Tables(self));
        }
        self.kind = self.kind.or(reader.deserialize_any(KindOf)?);
        Ok(())
    }
}

struct Tables<'a>(&'a mut Columns);

impl<'de> Visitor<'de> for Tables<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<(), A::Error> {
        let depth = self.0.depth - 1;
        while let Some(name) = table.next_key::<Cow<'de, str>>()? {
            if let Some(known) = self.0.below.get_mut(&*name) {
                table.next_value_seed(known)?;
            } else {
                let new = self.0.below.entry(name.into_owned()).or_insert_with(|| Columns::of_depth(depth));
                table.next_value_seed(new)?;
            }
        }
        Ok(())
    }
}

/// The type of one value.
struct KindOf;

impl<'de> Visitor<'de> for KindOf {
    type Value = Kind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Kind, E> {
        Ok(Kind::Empty)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Kind, E> {
        Ok(Kind::Flag)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Kind, E> {
        Ok(Kind::Whole)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Kind, E> {
        // A database has no whole numbers beyond 64 bits with sign.
        Ok(if i64::try_from(value).is_ok() { Kind::Whole } else { Kind::Number })
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Kind, E> {
        Ok(Kind::Number)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Kind, E> {
        Ok(Kind::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Kind, A::Error> {
        let mut kind = Kind::Numbers;
        while let Some(item) = list.next_element_seed(KindOf)? {
            if !matches!(item, Kind::Whole | Kind::Number) {
                kind = Kind::Json;
            }
        }
        Ok(kind)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<Kind, A::Error> {
        while table.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Kind::Json)
    }
}

impl<'de> DeserializeSeed<'de> for KindOf {
    type Value = Kind;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Kind, D::Error> {
        reader.deserialize_any(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(texts: &[&str]) -> Vec<(String, &'static str)> {
        let depth = BTreeMap::from([("links".to_owned(), 3)]);
        columns_of(texts, &depth).unwrap().into_iter().map(|(path, kind)| (path.join("/"), kind)).collect()
    }

    #[test]
    fn a_column_has_the_type_of_all_its_values() {
        let first = r#"{"links": {"a.b": {"n": 1, "x": 1, "pmf": [], "none": null}}, "kept": {"a": 1}, "flag": true}"#;
        let second =
            r#"{"links": {"a.b": {"n": 2, "x": 0.5, "pmf": [1, 0.5]}}, "kept": 3, "big": 18446744073709551615}"#;
        let expected = [
            ("big", "DOUBLE"),
            ("flag", "BOOLEAN"),
            ("kept", "JSON"),
            ("links/a.b/n", "BIGINT"),
            ("links/a.b/none", "DOUBLE"),
            ("links/a.b/pmf", "DOUBLE[]"),
            ("links/a.b/x", "DOUBLE"),
        ];
        assert_eq!(found(&[first, second]), expected.map(|(path, kind)| (path.to_owned(), kind)));
    }

    #[test]
    fn values_of_no_common_type_stay_json() {
        assert_eq!(found(&[r#"{"a": "x"}"#, r#"{"a": 1}"#]), [("a".to_owned(), "JSON")]);
        assert_eq!(found(&[r#"{"a": [[1]]}"#, r#"{"a": [1]}"#]), [("a".to_owned(), "JSON")]);
        assert_eq!(found(&[r#"{"a": "x"}"#]), [("a".to_owned(), "VARCHAR")]);
    }
}
