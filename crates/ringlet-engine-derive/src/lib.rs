//! `#[derive(Encode)]`: a part of the engine writes its state for model checking, field by field.
//!
//! Every field is written as it is, unless an attribute says otherwise. So a field without an attribute makes
//! states differ that are equal, which costs time; it never makes states equal that differ.
//!
//! | attribute of a field | what is written |
//! |---|---|
//! | none | the value; of a list its length and its elements |
//! | `#[encode(skip)]` | nothing: an option of the spec, or something that is only counted |
//! | `#[encode(due)]` | a cycle: in how many cycles it is, and that it is past |
//! | `#[encode(age)]` | a past cycle: how many cycles ago |
//! | `#[encode(packet)]` | packets, by their indices in the arena |
//! | `#[encode(refused)]` | the cycle of a busy echo: its order among those of the node |
//! | `#[encode(with = expression)]` | what this expression writes with `encoder` |
//! | `#[encode(when = condition)]` | the value, if the condition holds |
//! | `#[encode(held = "a grant")]` | besides, that the ring is not at rest while it is set, not zero or not empty |
//!
//! Expressions and conditions may name `self` and `encoder`, and in a variant its fields. Of an enum the number of the
//! variant is written, and its fields.

use proc_macro::TokenStream;
use proc_macro2::{Ident, Span, TokenStream as TokenStream2};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Expr, Field, Fields, LitStr, Token, parse_macro_input};

/// The rules by which a field is written.
#[derive(Default)]
struct Rules {
    skip: bool,
    call: Option<&'static str>,
    with: Option<Expr>,
    when: Option<Expr>,
    held: Option<LitStr>,
}

impl Rules {
    fn of(field: &Field) -> syn::Result<Self> {
        let mut rules = Self::default();
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("encode")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("skip") {
                    rules.skip = true;
                } else if meta.path.is_ident("due") {
                    rules.call = Some("due");
                } else if meta.path.is_ident("age") {
                    rules.call = Some("age");
                } else if meta.path.is_ident("packet") {
                    rules.call = Some("packets");
                } else if meta.path.is_ident("refused") {
                    rules.call = Some("refused");
                } else if meta.path.is_ident("with") {
                    meta.input.parse::<Token![=]>()?;
                    rules.with = Some(meta.input.parse()?);
                } else if meta.path.is_ident("when") {
                    meta.input.parse::<Token![=]>()?;
                    rules.when = Some(meta.input.parse()?);
                } else if meta.path.is_ident("held") {
                    meta.input.parse::<Token![=]>()?;
                    rules.held = Some(meta.input.parse()?);
                } else {
                    return Err(meta.error("not one of skip, due, age, packet, refused, with, when, held"));
                }
                Ok(())
            })?;
        }
        Ok(rules)
    }
}

/// Derives `Encode`, as the crate's documentation describes.
#[proc_macro_derive(Encode, attributes(encode))]
pub fn derive_encode(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    body(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

fn body(input: &DeriveInput) -> syn::Result<TokenStream2> {
    let steps = match &input.data {
        Data::Struct(data) => {
            let names = (0..).zip(&data.fields).map(|(place, field): (usize, _)| match &field.ident {
                Some(name) => quote!(self.#name),
                None => {
                    let place = syn::Index::from(place);
                    quote!(self.#place)
                }
            });
            steps(&data.fields, names)?
        }
        Data::Enum(data) => {
            let arms = (0u8..).zip(&data.variants).map(|(number, variant)| {
                let names: Vec<Ident> = (0..)
                    .zip(&variant.fields)
                    .map(|(place, field): (usize, _)| field.ident.clone().unwrap_or(format_ident!("of_{}", place)))
                    .collect();
                let pattern = match &variant.fields {
                    Fields::Unit => quote!(),
                    Fields::Unnamed(_) => quote!((#(#names),*)),
                    Fields::Named(_) => quote!({ #(#names),* }),
                };
                let steps = steps(&variant.fields, names.iter().map(|name| quote!(*#name)))?;
                let name = &variant.ident;
                Ok(quote!(Self::#name #pattern => { encoder.put(#number); #steps }))
            });
            let arms = arms.collect::<syn::Result<Vec<_>>>()?;
            quote!(match self { #(#arms)* })
        }
        Data::Union(_) => return Err(syn::Error::new_spanned(&input.ident, "a union cannot derive Encode")),
    };
    let (name, (generics, of, bounds)) = (&input.ident, input.generics.split_for_impl());
    Ok(quote! {
        impl #generics crate::values::Encode for #name #of #bounds {
            #[allow(unused_variables)]
            fn encode(&self, encoder: &mut crate::values::Encoder<'_>) {
                #steps
            }
        }
    })
}

/// Writes the fields, whose values have these names.
fn steps(fields: &Fields, names: impl Iterator<Item = TokenStream2>) -> syn::Result<TokenStream2> {
    let mut steps = Vec::new();
    for (field, name) in fields.iter().zip(names) {
        let Rules { skip, call, with, when, held } = Rules::of(field)?;
        let write = match (call, with) {
            _ if skip => quote!(),
            (_, Some(with)) => quote!(#with;),
            (Some(call), None) => {
                let call = Ident::new(call, Span::call_site());
                let value = if call == "packets" { quote!(&#name) } else { name.clone() };
                quote!(encoder.#call(#value);)
            }
            (None, None) => quote!(crate::values::Encode::encode(&#name, encoder);),
        };
        steps.push(match when {
            Some(condition) => quote!(if #condition { #write }),
            None => write,
        });
        if let Some(what) = held {
            steps.push(quote!(encoder.held(#what, crate::values::Rest::is_held(&#name));));
        }
    }
    Ok(quote!(#(#steps)*))
}
