//! A hundred thousand pseudo-random operations on every scheme; `make fuzz` does ten million.

use crate::rounds;
use penstock_aqm::schemes;

#[test]
fn a_hundred_thousand_operations_on_every_scheme() {
    let results = rounds::on_each(schemes(), |scheme| rounds::fuzz(scheme, 1, 100_000));
    let faults: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
