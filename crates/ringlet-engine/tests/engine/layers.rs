//! The engine's modules lie in layers, a folder or file of `src` each, and import downward only. Within a layer modules
//! do not import each other in a circle.
//!
//! Read are all paths of the sources that begin with `crate`, `super` or `self`, in `use` items as in the midst of code
//! and of macros.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// From the bottom to the top.
const LAYERS: [&str; 11] = [
    "spec",
    "results",
    "values",
    "queues",
    "hosts",
    "activities",
    "protocols",
    "node",
    "ring",
    "network",
    "simulation",
];

/// A module's path, from below the crate's root.
type Module = Vec<String>;

/// A path that code of a module names, resolved from the crate's root.
#[derive(Debug, PartialEq, Eq)]
struct Import {
    from: Module,
    line: usize,
    path: Vec<String>,
    /// `pub use`: others may name it here.
    name: Option<String>,
}

/// All imports of a source file that is `module`.
fn imports(source: &str, module: &[&str]) -> Vec<Import> {
    let tokens = TokenStream::from_str(source).expect("the compiler reads it, too");
    let mut found = Vec::new();
    read(tokens, &module.iter().map(|name| name.to_string()).collect(), &mut found);
    found
}

fn read(tokens: TokenStream, module: &Module, found: &mut Vec<Import>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let ident = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    };
    let punct =
        |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == wanted);
    let (mut at, mut is_public) = (0, false);
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) if word == "mod" => {
                if let (Some(name), Some(TokenTree::Group(body))) = (ident(at + 1), tokens.get(at + 2)) {
                    let inner = module.iter().cloned().chain([name]).collect();
                    read(body.stream(), &inner, found);
                    at += 2;
                }
            }
            TokenTree::Ident(word) if word == "pub" => {
                is_public = true;
                // The scope of `pub(crate)` is no import.
                at += usize::from(matches!(tokens.get(at + 1), Some(TokenTree::Group(_))));
            }
            TokenTree::Ident(word) if word == "use" => {
                let end = (at..tokens.len()).find(|&end| punct(end, ';')).expect("a use item ends");
                let tree = &tokens[at + 1..end];
                read_tree(tree, Vec::new(), module, is_public, found);
                at = end;
            }
            TokenTree::Ident(word)
                if ["crate", "super", "self"].contains(&word.to_string().as_str()) && punct(at + 1, ':') =>
            {
                let mut end = at + 1;
                while punct(end, ':') && punct(end + 1, ':') && ident(end + 2).is_some() {
                    end += 3;
                }
                read_tree(&tokens[at..end], Vec::new(), module, false, found);
                at = end - 1;
            }
            TokenTree::Punct(end) if end.as_char() == ';' => is_public = false,
            TokenTree::Group(group) => {
                read(group.stream(), module, found);
                is_public = false;
            }
            _ => {}
        }
        at += 1;
    }
}

/// One path, or several in braces, behind `before`.
fn read_tree(tree: &[TokenTree], mut before: Vec<String>, module: &Module, is_public: bool, found: &mut Vec<Import>) {
    let mut line = 0;
    let mut renamed = None;
    let mut words = tree.iter();
    while let Some(token) = words.next() {
        line = token.span().start().line;
        match token {
            TokenTree::Ident(word) if word == "as" => renamed = words.next().map(|name| name.to_string()),
            TokenTree::Ident(word) => before.push(word.to_string()),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',');
                for one in inside.split(is_comma).filter(|one| !one.is_empty()) {
                    read_tree(one, before.clone(), module, is_public, found);
                }
                return;
            }
            _ => {}
        }
    }
    let name = is_public.then(|| renamed.or(before.last().cloned())).flatten();
    let (mut path, rest) = match before.first().map(String::as_str) {
        Some("crate") => (Vec::new(), &before[1..]),
        Some("self") => (module.clone(), &before[1..]),
        Some("super") => (module.clone(), &before[..]),
        // A module below this one, or another crate.
        _ => (module.clone(), &before[..]),
    };
    for word in rest {
        match word.as_str() {
            "super" => drop(path.pop()),
            "self" => {}
            _ => path.push(word.clone()),
        }
    }
    found.push(Import { from: module.clone(), line, path, name });
}

/// All modules below the sources' root, with their text.
fn sources(folder: &Path, module: &Module, found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("the folder can be read").path();
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let is_root = module.is_empty() && name == "lib";
        let inner: Module = module.iter().cloned().chain((!is_root).then_some(name)).collect();
        if path.is_dir() {
            sources(&path, &inner, found);
        } else {
            found.insert(inner, fs::read_to_string(&path).expect("a source is text"));
        }
    }
}

/// The module that a path leads to, through what other modules have published.
fn target(
    path: &[String],
    modules: &BTreeSet<Module>,
    published: &BTreeMap<Vec<String>, Vec<String>>,
) -> Option<Module> {
    let mut path = path.to_vec();
    for _ in 0..8 {
        let Some(len) = (1..=path.len()).find(|&len| published.contains_key(&path[..len])) else { break };
        let rest = path.split_off(len);
        path = published[&path].iter().cloned().chain(rest).collect();
    }
    (1..=path.len()).rev().map(|len| path[..len].to_vec()).find(|module| modules.contains(module))
}

/// Which module imports which, and where: of modules in different layers, or of siblings; of those the lowest folder
/// that holds both counts.
fn graph(texts: &BTreeMap<Module, String>) -> BTreeMap<(Module, Module), String> {
    let modules: BTreeSet<Module> = texts.keys().cloned().collect();
    let mut all = Vec::new();
    for (module, text) in texts {
        all.extend(imports(text, &module.iter().map(String::as_str).collect::<Vec<_>>()));
    }
    let mut published = BTreeMap::new();
    for import in &all {
        if let Some(name) = &import.name {
            let at: Vec<String> = import.from.iter().cloned().chain([name.clone()]).collect();
            if at != import.path {
                published.insert(at, import.path.clone());
            }
        }
    }
    let mut edges = BTreeMap::new();
    for Import { from, line, path, .. } in &all {
        let Some(to) = target(path, &modules, &published) else { continue };
        let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
        // A module and those below it are one to others.
        if common < from.len() && common < to.len() {
            let place = format!("{}.rs:{line}: {}", from.join("/"), path.join("::"));
            edges.entry((from[..=common].to_vec(), to[..=common].to_vec())).or_insert(place);
        }
    }
    edges
}

/// Imports that are on a circle.
fn circles(edges: &BTreeMap<(Module, Module), String>) -> Vec<&str> {
    let reaches = |from: &Module, wanted: &Module| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = next.pop() {
            if module == *wanted {
                return true;
            }
            if seen.insert(module.clone()) {
                next.extend(edges.keys().filter(|edge| edge.0 == module).map(|edge| edge.1.clone()));
            }
        }
        false
    };
    edges.iter().filter(|((from, to), _)| reaches(to, from)).map(|(_, place)| place.as_str()).collect()
}

fn engine() -> BTreeMap<Module, String> {
    let mut found = BTreeMap::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &Vec::new(), &mut found);
    // The root declares the layers and says what is public.
    found.remove(&Vec::new());
    found
}

#[test]
fn every_module_lies_in_a_layer() {
    for module in engine().keys() {
        assert!(LAYERS.contains(&module[0].as_str()), "{} is in no layer", module.join("/"));
    }
}

#[test]
fn layers_import_downward_only() {
    let height = |module: &Module| LAYERS.iter().position(|layer| *layer == module[0]);
    let upward: Vec<String> = graph(&engine())
        .into_iter()
        .filter(|((from, to), _)| from.len() == 1 && height(from) < height(to))
        .map(|(_, place)| place)
        .collect();
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn no_modules_import_each_other_in_a_circle() {
    let edges = graph(&engine());
    let found = circles(&edges);
    assert!(found.is_empty(), "{found:#?}");
}

/// Sources of a crate, by module.
fn written(texts: &[(&str, &str)]) -> BTreeMap<Module, String> {
    texts.iter().map(|(path, text)| (path.split('/').map(str::to_string).collect(), text.to_string())).collect()
}

#[test]
fn imports_are_seen_however_they_are_written() {
    for text in [
        "use crate::node::Node;",
        "use super::node::{Node, Other};",
        "use {crate::{node::{Node as Renamed}}};",
        "pub(crate) use super::node;",
        "fn f() -> crate::node::Node { todo!() }",
        "macro_rules! m { ($a:expr) => { f($a, crate::node::g()) } }",
        "mod tests { fn f() { super::super::node::g() } }",
        "impl super::node::Trait for crate::values::X {}",
    ] {
        let texts = written(&[("queues", text), ("node", ""), ("values", "")]);
        let edges = graph(&texts);
        assert!(edges.contains_key(&(vec!["queues".into()], vec!["node".into()])), "{text}: {edges:?}");
    }
    let comment = written(&[("queues", "/// [`crate::node`]\nfn f() { \"crate::node\"; }"), ("node", "")]);
    assert!(graph(&comment).is_empty());
}

#[test]
fn circles_are_seen_through_what_a_folder_publishes() {
    let circle = [
        ("hosts", "mod flow; mod queue; pub(crate) use flow::Flow; pub(crate) use queue::Queue;"),
        ("hosts/flow", "use crate::hosts::Queue;"),
        ("hosts/queue", "use super::flow::Flow;"),
    ];
    let edges = graph(&written(&circle));
    assert_eq!(circles(&edges).len(), 2, "{edges:?}");
    let edges = graph(&written(&[circle[0], circle[2], ("hosts/flow", "use super::Flow;")]));
    assert_eq!(circles(&edges), [""; 0], "{edges:?}");
}
