//! The list of protocols in one macro.

/// Declares from the list the module of each protocol, the type that holds the options of any one, and the functions
/// that call the one that it holds. The list is in `protocols.rs`, and so is what the names below are imported from.
macro_rules! protocols {
    ($($name:ident($module:ident::$options:ident),)+) => {
        $(pub mod $module;)+

        /// A flow-control protocol and its options. Its name in a spec is the variant's, as in `token-ring`.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "protocol", rename_all = "kebab-case")]
        pub enum FlowControlSpec {
            $(
                #[doc = concat!("With [these options](", stringify!($module), "::", stringify!($options), ").")]
                $name($module::$options),
            )+
        }

        impl FlowControlSpec {
            /// Checks the options, of which some depend on what else the spec says.
            pub(crate) fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
                match self {
                    $(Self::$name(options) => options.check(spec),)+
                }
            }

            /// The limits that the options set to the rest of the spec, on such a ring.
            pub fn limits(&self, ring: RingShape) -> Limits {
                match self {
                    $(Self::$name(options) => options.limits(ring),)+
                }
            }

            /// Calls `user` with the protocol.
            pub(crate) fn select<U: WithProtocol>(&self, user: U) -> U::Output {
                match self {
                    $(Self::$name(options) => options.select(user),)+
                }
            }
        }

        $(
            impl From<$module::$options> for ProtocolSpec {
                fn from(options: $module::$options) -> Self {
                    FlowControlSpec::$name(options).into()
                }
            }
        )+

        /// The counts of nodes for any protocol: names and meanings.
        pub fn counted_by_protocols() -> Vec<(&'static str, &'static str)> {
            /// The counts of the protocol with these options.
            type Of<O> = <<O as Options>::Protocol as Protocol>::Counts;
            let names = [$(<Of<$module::$options>>::NAMES),+].concat();
            let meanings = [$(<Of<$module::$options>>::MEANINGS),+].concat();
            names.into_iter().zip(meanings.into_iter().map(str::trim)).collect()
        }
    };
}

pub(super) use protocols;
