//! The list of activities in one macro.

/// Declares from the list the module of each activity, the types that hold the options and the plan of any one, and the
/// functions that lead to the one that they hold. The list is in `activities.rs`, and so is what the names below are
/// imported from.
macro_rules! activities {
    ($($kind:literal => $name:ident($module:ident::$options:ident),)+) => {
        $(pub mod $module;)+

        /// An activity with its options.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(tag = "kind", deny_unknown_fields)]
        pub enum WorkloadSpec {
            $(
                #[doc = concat!("With [these options](", stringify!($module), "::", stringify!($options), ").")]
                #[serde(rename = $kind)]
                $name($module::$options),
            )+
        }

        impl WorkloadSpec {
            /// The options of the one that it is.
            pub(crate) fn any(&self) -> &dyn Options {
                match self {
                    $(Self::$name(options) => options,)+
                }
            }

            /// The plan at cycle 0 of the activity with this number in a valid spec.
            pub(crate) fn plan(&self, spec: &NetworkSpec, index: usize) -> Plan {
                match self {
                    $(Self::$name(options) => Plan::$name(Box::new(options.plan(spec, index))),)+
                }
            }
        }

        $(
            impl From<$module::$options> for ActivitySpec {
                fn from(options: $module::$options) -> Self {
                    WorkloadSpec::$name(options).into()
                }
            }
        )+

        /// The plan of an activity.
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
        pub(crate) enum Plan {
            $(
                #[doc = concat!("The plan of ", $kind, ".")]
                $name(Box<<$module::$options as Begins>::Plan>),
            )+
        }

        impl Plan {
            /// Name of its activity in a spec.
            pub(crate) fn kind(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => $kind,)+
                }
            }

            /// The plan of the one that it is.
            pub(crate) fn any(&self) -> &dyn Planned {
                match self {
                    $(Self::$name(plan) => &**plan,)+
                }
            }

            /// The plan of the one that it is, to change it.
            pub(crate) fn any_mut(&mut self) -> &mut dyn Planned {
                match self {
                    $(Self::$name(plan) => &mut **plan,)+
                }
            }
        }
    };
}

pub(super) use activities;
