//! Namespaces for tests.

use crate::namespace::Namespace;
use std::io::Write;
use std::sync::Once;

/// A new namespace; `None` if tests cannot create one, which is printed once. With `PENSTOCK_REQUIRE_NETNS=1` that is
/// a failure instead.
pub(crate) fn fresh_namespace() -> Option<Namespace> {
    static TOLD: Once = Once::new();
    let error = match Namespace::new()
        .and_then(|namespace| std::fs::File::options().read(true).write(true).open("/dev/net/tun").map(|_| namespace))
    {
        Ok(namespace) => return Some(namespace),
        Err(error) => error,
    };
    let required = std::env::var_os("PENSTOCK_REQUIRE_NETNS").is_some_and(|value| value == "1");
    assert!(!required, "PENSTOCK_REQUIRE_NETNS=1, but there are no namespaces with TUN devices: {error}");
    TOLD.call_once(|| {
        // The test harness hides what `println!` prints in a test that passes.
        let _ = writeln!(std::io::stderr(), "skipped: tests with network namespaces and TUN devices: {error}");
    });
    None
}
