//! The settings of each class of a scheme; each error names the path of its key.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use penstock_core::param::{self, ClassSetting, Match, ParamError, ParamErrors, ParamInfo, Params};

/// The path of a key of class number `class`.
pub(crate) fn path(class: usize, key: &str) -> String {
    format!("classes[{class}].{key}")
}

/// The parameters of each class; `None` if the parameters of any class are missing or invalid, with the reason in
/// `errors`.
pub(crate) fn read<C: Params>(
    classes: &[ClassSetting],
    infos: &[ParamInfo],
    errors: &mut ParamErrors,
) -> Option<Vec<C>> {
    if classes.is_empty() {
        errors.push(ParamError::new("classes", "needs at least one class"));
    }
    let mut all = Vec::with_capacity(classes.len());
    for (i, class) in classes.iter().enumerate() {
        if classes[..i].iter().any(|earlier| earlier.name == class.name) {
            errors.push(ParamError::new(path(i, "name"), "must differ from the names of the earlier classes"));
        }
        if i + 1 < classes.len() && class.matches == Match::default() {
            let message = "is missing: only the last class, which takes all other packets, may omit it";
            errors.push(ParamError::new(path(i, "match"), message));
        }
        match param::read(&class.settings, infos) {
            Ok(params) => all.push(params),
            Err(refused) => {
                errors.extend(refused.into_iter().map(|error| ParamError { name: path(i, &error.name), ..error }));
            }
        }
    }
    (all.len() == classes.len() && !classes.is_empty()).then_some(all)
}
