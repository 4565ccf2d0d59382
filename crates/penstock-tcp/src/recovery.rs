//! Loss recovery where ns-2 and the RFCs differ. Each decision is written twice, in [`ns2`] and in [`rfc`]; the shared machinery
//! and the laws ask for it here and do not know whose rules are in force.

mod ns2;
mod rfc;

penstock_core::choice! {
    /// Whose rules of loss recovery a flow follows where ns-2 and the RFCs differ.
    pub enum Recovery {
        /// Those of ns-2.35.
        Ns2 = "ns2",
        /// RFC 5681, 6582 and 6675.
        Rfc = "rfc",
    }
}

/// Decisions that [`ns2`] and [`rfc`] each make with a function of the same name.
macro_rules! decisions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)+) => {
        impl Recovery {
            $($(#[$doc])*
            #[inline]
            pub(crate) fn $name(self, $($argument: $type),*) $(-> $result)? {
                match self {
                    Self::Ns2 => ns2::$name($($argument),*),
                    Self::Rfc => rfc::$name($($argument),*),
                }
            })+
        }
    };
}

decisions! {
    /// Data that a transfer of `bytes` sends, in packets of `packet` bytes.
    fn transfer_size(bytes: u64, packet: u64) -> u64;
}
