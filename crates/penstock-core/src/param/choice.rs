//! Parameters that take one of a few words, and suggestions for mistyped words.

use alloc::vec::Vec;

/// Defines an enum whose variants are the words of a parameter. `On = "on" | true` also accepts the flag.
///
/// ```
/// penstock_core::choice! {
///     /// What fills the glass.
///     pub enum Drink {
///         /// Cold.
///         Water = "water",
///         /// Hot.
///         Tea = "tea",
///     }
/// }
/// assert_eq!(Drink::Tea.word(), "tea");
/// ```
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal $(| $flag:literal)?),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// Its word in settings.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl $crate::param::FromValue for $name {
            const KIND: $crate::param::Kind = $crate::param::Kind::Choice(&[$($word),+]);

            fn from_value(value: &$crate::param::Value) -> Option<Self> {
                match value {
                    $($crate::param::Value::Text(word) if word == $word => Some(Self::$variant),)+
                    $($($crate::param::Value::Flag($flag) => Some(Self::$variant),)?)+
                    _ => None,
                }
            }
        }
    };
}

/// The candidate nearest to `word` in edit distance, if it is near enough for `word` to be a typing error.
///
/// Case, and hyphen or underscore, make no difference.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<u8> = folded(word).collect();
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(&wanted, &folded(candidate).collect::<Vec<_>>()), candidate))
        .filter(|&(distance, candidate)| distance <= 1 + wanted.len().max(candidate.len()) / 4)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

fn folded(word: &str) -> impl Iterator<Item = u8> + '_ {
    word.bytes().map(|byte| if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() })
}

/// Number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut before_last: Vec<usize>;
    let mut last: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        before_last = core::mem::replace(&mut last, row);
        row = Vec::with_capacity(b.len() + 1);
        row.push(i);
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut cost = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before_last[j - 2] + 1);
            }
            row.push(cost);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_right_name() {
        let names = ["droptail", "red", "ared-floyd", "ared-feng", "psand"];
        assert_eq!(nearest("rde", names), Some("red"));
        assert_eq!(nearest("ARED_FLOID", names), Some("ared-floyd"));
        assert_eq!(nearest("dropptail", names), Some("droptail"));
        assert_eq!(nearest("codel", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(edit_distance(b"kitten", b"sitting"), 3);
        assert_eq!(edit_distance(b"ab", b"ba"), 1);
        assert_eq!(edit_distance(b"", b"abc"), 3);
    }
}
