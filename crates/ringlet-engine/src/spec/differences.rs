//! The fields of a spec that differ from the defaults, for messages.

use std::fmt;

use serde_json::{Map, Value};

use super::{ArrivalSpec, DestinationSpec, FlowSpec, NetworkSpec};

/// Fields of a flow that have no default: they are always shown.
const OF_FLOW: [&str; 4] = ["source", "destinations", "arrivals", "sizes"];

impl fmt::Debug for NetworkSpec {
    /// Writes the fields that differ from those of [`NetworkSpec::ring`], as JSON: a line for each, and for each flow.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("{")?;
        let mut lines = Vec::new();
        for (name, value) in self.differences() {
            match value {
                Value::Array(each) if name == "flows" => {
                    let flows: Vec<String> = each.iter().map(|flow| format!("\n    {flow}")).collect();
                    lines.push(format!("\n  \"{name}\": [{}\n  ]", flows.join(",")));
                }
                value => lines.push(format!("\n  \"{name}\": {value}")),
            }
        }
        write!(formatter, "{}\n}}", lines.join(","))
    }
}

impl NetworkSpec {
    /// Returns the fields that differ from those of [`NetworkSpec::ring`], of flows those that differ from
    /// [`FlowSpec::new`]; the number of nodes and the flow control always do.
    fn differences(&self) -> Map<String, Value> {
        let json = |spec: &Self| serde_json::to_value(spec).unwrap_or_default();
        let mut plain = json(&Self::ring(0, super::ProtocolSpec(Value::Null), Vec::new()));
        let any = FlowSpec::new(0, DestinationSpec::Uniform {}, ArrivalSpec::Saturated {}, 0);
        let mut flow = serde_json::to_value(any).unwrap_or_default();
        OF_FLOW.iter().for_each(|&name| flow[name] = Value::Null);
        plain["flows"] = vec![flow; self.flows.len()].into();
        let mut own = json(self);
        drop_empty(&mut own["network"]);
        match differing(&own, &plain) {
            Some(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}

/// Returns what of a value differs: of objects those fields, of lists as long as each other those of each element.
fn differing(own: &Value, plain: &Value) -> Option<Value> {
    match (own, plain) {
        (own, plain) if own == plain => None,
        (Value::Object(own), Value::Object(plain)) if own.keys().eq(plain.keys()) => {
            let fields = own.iter().filter_map(|(name, own)| Some((name.clone(), differing(own, &plain[name])?)));
            Some(fields.collect::<Map<_, _>>().into())
        }
        (Value::Array(own), Value::Array(plain)) if own.len() == plain.len() => {
            let each = own.iter().zip(plain).map(|(own, plain)| differing(own, plain).unwrap_or_default());
            Some(each.collect::<Vec<_>>().into())
        }
        _ => Some(own.clone()),
    }
}

/// Leaves out fields that say nothing: `null`, and empty lists.
fn drop_empty(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !field.is_null() && field.as_array().is_none_or(|each| !each.is_empty()));
            fields.values_mut().for_each(drop_empty);
        }
        Value::Array(each) => each.iter_mut().for_each(drop_empty),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_what_differs() {
        let arrivals = ArrivalSpec::Saturated {};
        let flow = FlowSpec { priority: 1, ..FlowSpec::new(2, DestinationSpec::Uniform {}, arrivals, 8) };
        let none: crate::spec::ProtocolSpec = serde_json::from_str(r#"{"protocol": "none"}"#).expect("a protocol");
        let mut spec = NetworkSpec::ring(3, none, vec![flow]);
        spec.queues.limits.common.window = Some(2);
        let expected = r#"{
  "flow_control": {"protocol":"none"},
  "flows": [
    {"arrivals":{"kind":"saturated"},"destinations":{"kind":"uniform"},"priority":1,"sizes":[[8,1.0]],"source":2}
  ],
  "nodes": 3,
  "queues": {"limits":{"common":{"window":2}},"priorities":2}
}"#;
        assert_eq!(format!("{spec:?}"), expected);
    }
}
