//! A look into a state that was read from a file, by the names of its fields: what the spec decides must be as in a
//! simulation that was just built of it, and what names a packet, a flow or a time must name one that there may be.
//!
//! The state is walked as it is saved, through serde, so that no part of the engine has to know of it.

mod rules;

use std::fmt::Display;
use std::hash::Hasher;

use serde::ser::{self, Serialize};

use self::rules::{Rule, rule};
use crate::spec::MAX_CYCLES;
use crate::values::packet::UNDRAWN;
use crate::values::run::Kind;
use crate::values::time::NEVER;

const IDLE: u32 = Kind::Idle as u32;
const MESSAGE: u32 = Kind::Message as u32;
const FREED: u32 = Kind::Freed as u32;

/// The things of a simulation, or of a ring of it, that a state may name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Places for packets.
    pub(crate) packets: usize,
    /// Flows that are counted: in a network one more than it has, for those elsewhere.
    pub(crate) flows: usize,
    pub(crate) network_flows: usize,
    /// Places of nodes and ports.
    pub(crate) places: usize,
    /// Nodes of the network.
    pub(crate) nodes: usize,
    /// Priorities of hosts' queues.
    pub(crate) levels: usize,
}

impl Bounds {
    /// Bounds of a state that names no packet, flow, place, node or priority, or that was just built.
    pub(crate) const ANY: Self = Self {
        packets: u32::MAX as usize,
        flows: u32::MAX as usize,
        network_flows: u32::MAX as usize,
        places: 1 << 16,
        nodes: 1 << 16,
        levels: 1 << 8,
    };
}

/// Numbers of flows from here on stand for something else that happens at a node.
const NO_FLOWS: u32 = u32::MAX - 5;

/// The findings of a look at a state.
#[derive(Debug)]
pub(crate) struct Inspection {
    /// Type, name and a digest of the value of each field that the spec decides, in the order of the state.
    of_spec: Vec<(&'static str, &'static str, u64)>,
    /// The first field whose value cannot be.
    wrong: Option<String>,
    bounds: Bounds,
    /// Is the run at hand of a packet?
    has_packet: bool,
    /// The field at hand.
    at: Option<(Rule, &'static str, &'static str)>,
}

impl Inspection {
    /// Looks at a part of a state.
    pub(crate) fn of<T: Serialize + ?Sized>(part: &T, bounds: Bounds) -> Self {
        let mut inspection = Self { of_spec: Vec::new(), wrong: None, bounds, has_packet: false, at: None };
        if let Err(Stopped(why)) = part.serialize(&mut inspection) {
            inspection.wrong.get_or_insert(why);
        }
        inspection
    }

    /// Says what is wrong with the state, if anything is: the same part of one just `built` of the spec is right.
    pub(crate) fn differs_from(&self, built: &Self) -> Option<String> {
        if self.wrong.is_some() {
            return self.wrong.clone();
        }
        let unlike = |(ours, theirs): (&(_, _, _), &(_, _, _))| ours != theirs;
        match self.of_spec.iter().zip(&built.of_spec).position(|(ours, theirs)| unlike((ours, theirs))) {
            Some(place) => {
                let (name, field, _) = self.of_spec[place];
                Some(format!("{name}.{field} is not that of the spec"))
            }
            None if self.of_spec.len() != built.of_spec.len() => {
                Some("another number of parts than the spec has".into())
            }
            None => None,
        }
    }

    fn field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        field: &'static str,
        value: &T,
    ) -> Result<(), Stopped> {
        match rule(name, field) {
            Some(Rule::Spec) => {
                self.of_spec.push((name, field, digest(value)?));
                Ok(())
            }
            Some(rule) => {
                let before = self.at.replace((rule, name, field));
                value.serialize(&mut *self)?;
                self.at = before;
                Ok(())
            }
            None => {
                let before = self.at.take();
                value.serialize(&mut *self)?;
                self.at = before;
                Ok(())
            }
        }
    }

    fn choice(&mut self, name: &'static str, variant: u32) {
        if name == "Kind" {
            self.has_packet = !matches!(variant, IDLE | MESSAGE | FREED);
        }
        if rule(name, "*").is_some() {
            self.of_spec.push((name, "*", variant.into()));
        }
    }

    fn check(&mut self, value: impl Display, ok: impl FnOnce(Rule, &Self) -> bool) -> Result<(), Stopped> {
        match self.at {
            Some((rule, name, field)) if !ok(rule, self) => Err(Stopped(format!("{name}.{field} is {value}"))),
            _ => Ok(()),
        }
    }
}

/// A digest of a value as it is saved.
fn digest<T: Serialize + ?Sized>(value: &T) -> Result<u64, Stopped> {
    let bytes = postcard::to_stdvec(value).map_err(|error| Stopped(error.to_string()))?;
    // Compared with digests of the same process only.
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(&bytes);
    Ok(hasher.finish())
}

/// The end of a look, with what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Stopped(String);

impl ser::Error for Stopped {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// A type with fields, of which each is looked at by its name.
pub(crate) struct Fields<'a> {
    inspection: &'a mut Inspection,
    name: &'static str,
}

macro_rules! ignored {
    ($($method:ident($type:ty)),+) => {
        $(fn $method(self, _: $type) -> Result<(), Stopped> {
            Ok(())
        })+
    };
}

impl<'a> ser::Serializer for &'a mut Inspection {
    type Ok = ();
    type Error = Stopped;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Fields<'a>;
    type SerializeStructVariant = Fields<'a>;

    ignored!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_i128(i128),
        serialize_u128(u128),
        serialize_f32(f32),
        serialize_char(char),
        serialize_str(&str),
        serialize_bytes(&[u8])
    );

    fn serialize_u8(self, value: u8) -> Result<(), Stopped> {
        self.check(value, |rule, look| rule != Rule::Level || usize::from(value) < look.bounds.levels)
    }

    fn serialize_u16(self, value: u16) -> Result<(), Stopped> {
        let place = usize::from(value);
        self.check(value, |rule, look| match rule {
            Rule::Target => !look.has_packet || place < look.bounds.places,
            Rule::Place => value == u16::MAX || place < look.bounds.places,
            Rule::End => place < look.bounds.nodes,
            _ => true,
        })
    }

    fn serialize_u32(self, value: u32) -> Result<(), Stopped> {
        let number = value as usize;
        self.check(value, |rule, look| match rule {
            Rule::Packet => value == UNDRAWN || number < look.bounds.packets,
            Rule::Content => !look.has_packet || number < look.bounds.packets,
            Rule::Flow => number < look.bounds.flows,
            Rule::Arrival => value >= NO_FLOWS || number < look.bounds.flows,
            Rule::NetworkFlow => number < look.bounds.network_flows,
            Rule::Node => number < look.bounds.nodes,
            _ => true,
        })
    }

    fn serialize_u64(self, value: u64) -> Result<(), Stopped> {
        self.check(value, |rule, _| {
            !matches!(rule, Rule::Time | Rule::Arrival) || value <= 4 * MAX_CYCLES || value == NEVER
        })
    }

    fn serialize_f64(self, value: f64) -> Result<(), Stopped> {
        let most = 2.0 * MAX_CYCLES as f64;
        self.check(value, |rule, _| rule != Rule::RealTime || (0.0..=most).contains(&value) || value == f64::INFINITY)
    }

    fn serialize_none(self) -> Result<(), Stopped> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stopped> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Stopped> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Stopped> {
        Ok(())
    }

    fn serialize_unit_variant(self, name: &'static str, index: u32, _: &'static str) -> Result<(), Stopped> {
        self.choice(name, index);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Stopped> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Stopped> {
        self.choice(name, index);
        self.field(name, variant, value)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, Stopped> {
        if let Some((Rule::Length, name, field)) = self.at {
            self.of_spec.push((name, field, length.unwrap_or_default() as u64));
            // Lists in it have any length.
            self.at = None;
        }
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Stopped> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Stopped> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Stopped> {
        self.choice(name, index);
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Stopped> {
        Ok(self)
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Fields<'a>, Stopped> {
        Ok(Fields { inspection: self, name })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Fields<'a>, Stopped> {
        self.choice(name, index);
        Ok(Fields { inspection: self, name })
    }
}

macro_rules! elements {
    ($($of:ident::$method:ident),+) => {
        $(impl ser::$of for &mut Inspection {
            type Ok = ();
            type Error = Stopped;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stopped> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Stopped> {
                Ok(())
            }
        })+
    };
}

elements!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

impl ser::SerializeMap for &mut Inspection {
    type Ok = ();
    type Error = Stopped;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Stopped> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stopped> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Stopped> {
        Ok(())
    }
}

macro_rules! fields {
    ($($of:ident),+) => {
        $(impl ser::$of for Fields<'_> {
            type Ok = ();
            type Error = Stopped;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                field: &'static str,
                value: &T,
            ) -> Result<(), Stopped> {
                self.inspection.field(self.name, field, value)
            }

            fn end(self) -> Result<(), Stopped> {
                Ok(())
            }
        })+
    };
}

fields!(SerializeStruct, SerializeStructVariant);
