//! The parameter list of a mechanism built on another one: its own parameters and those inherited.

use super::{Default, ParamInfo};

/// Number of parameters that [`inherit`] returns.
pub const fn inherited_len(own: &[ParamInfo], base: &[ParamInfo]) -> usize {
    let mut len = own.len();
    let mut i = 0;
    while i < base.len() {
        if position(own, base[i].name).is_none() {
            len += 1;
        }
        i += 1;
    }
    len
}

/// The parameters of a mechanism that owns another one: its `own` parameters, then the parameters of `base` that it
/// does not replace, with `defaults` instead of some of their defaults. `N` is [`inherited_len`].
pub const fn inherit<const N: usize>(
    own: &[ParamInfo],
    base: &[ParamInfo],
    defaults: &[(&str, Default)],
) -> [ParamInfo; N] {
    let mut all = [own[0]; N];
    let mut len = 0;
    while len < own.len() {
        all[len] = own[len];
        len += 1;
    }
    let mut i = 0;
    while i < base.len() {
        if position(own, base[i].name).is_none() {
            all[len] = base[i];
            let mut d = 0;
            while d < defaults.len() {
                if same(defaults[d].0, base[i].name) {
                    all[len].default = defaults[d].1;
                }
                d += 1;
            }
            len += 1;
        }
        i += 1;
    }
    all
}

/// `infos` without the parameter called `name`; `N` is the number of `infos` minus one.
pub const fn without<const N: usize>(infos: &[ParamInfo], name: &str) -> [ParamInfo; N] {
    let mut rest = [infos[0]; N];
    let (mut i, mut len) = (0, 0);
    while i < infos.len() {
        if !same(infos[i].name, name) {
            rest[len] = infos[i];
            len += 1;
        }
        i += 1;
    }
    assert!(len == N, "there is no parameter of this name");
    rest
}

const fn position(infos: &[ParamInfo], name: &str) -> Option<usize> {
    let mut i = 0;
    while i < infos.len() {
        if same(infos[i].name, name) {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// Equality of strings; `==` is not available in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
