//! Which tokens of a source file count.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use sha2::{Digest, Sha256};
use syn::visit_mut::{self, VisitMut};

use super::hex;

/// A hash of Rust source without formatting, comments, documentation and `#[cfg(test)]` items.
///
/// # Errors
///
/// The source does not parse.
pub fn code_hash(source: &str) -> Result<String, syn::Error> {
    let mut file = syn::parse_file(source)?;
    WithoutTests.visit_file_mut(&mut file);
    // The first line of a script is no token; it is no code either.
    file.shebang = None;
    let mut hash = Sha256::new();
    absorb(&without_documentation(file.to_token_stream()), &mut hash);
    Ok(hex(&hash.finalize()))
}

/// Whether one of the attributes that `item` starts with is `#[cfg(test)]`.
pub(crate) fn is_test(item: &impl ToTokens) -> bool {
    let mut tokens = item.to_token_stream().into_iter();
    while let Some(TokenTree::Punct(hash)) = tokens.next() {
        match tokens.next() {
            Some(TokenTree::Group(attribute)) if hash.as_char() == '#' => {
                if is_cfg_test(attribute.stream()) {
                    return true;
                }
            }
            _ => break,
        }
    }
    false
}

/// Removes `#[cfg(test)]` items. What it does not know stays, and thereby counts as code.
struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        if file.attrs.iter().any(|attribute| is_cfg_test(attribute.meta.to_token_stream())) {
            file.items.clear();
        }
        file.items.retain(|item| !is_test(item));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| !is_test(item));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(|item| !is_test(item));
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_item_trait_mut(&mut self, definition: &mut syn::ItemTrait) {
        definition.items.retain(|item| !is_test(item));
        visit_mut::visit_item_trait_mut(self, definition);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(|statement| !is_test(statement));
        visit_mut::visit_block_mut(self, block);
    }
}

fn is_cfg_test(meta: TokenStream) -> bool {
    meta.to_string().replace(' ', "") == "cfg(test)"
}

/// Hashes tokens, trailing commas aside.
fn absorb(tokens: &[TokenTree], hash: &mut Sha256) {
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let mut inner = without_documentation(group.stream());
                if ends_with_idle_comma(&inner, group.delimiter(), &tokens[..i]) {
                    inner.pop();
                }
                hash.update([b'(', group.delimiter() as u8]);
                absorb(&inner, hash);
                hash.update(b")");
            }
            TokenTree::Punct(punct) => {
                let next = tokens.get(i + 1).and_then(punctuation);
                let joins = next.is_some_and(|next| {
                    let pair: String = [punct.as_char(), next].iter().collect();
                    punct.spacing() == Spacing::Joint && OPERATORS.contains(&pair.as_str())
                });
                if punct.as_char() != ',' || next != Some('>') {
                    hash.update(format!("p{}{}", punct.as_char(), u8::from(joins)));
                }
            }
            // The length keeps neighbours apart.
            TokenTree::Ident(ident) => {
                let text = ident.to_string();
                hash.update(format!("i{} {text}", text.len()));
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                hash.update(format!("l{} {text}", text.len()));
            }
        }
    }
}

/// Where two signs stand for one, the space between them counts; elsewhere it is formatting.
const OPERATORS: [&str; 21] = [
    "==", "=>", "&&", "||", "<<", ">>", "<=", ">=", "!=", "+=", "-=", "*=", "/=", "%=", "^=", "&=",
    "|=", "::", "..", ".=", "->",
];

/// Drops `#[doc …]` and `#![doc …]`, which is also what doc comments are at this point.
fn without_documentation(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let is_doc = match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                let first = group.stream().into_iter().next();
                matches!(first, Some(TokenTree::Ident(name)) if name == "doc")
            }
            _ => false,
        };
        let marks: Vec<_> = kept.iter().rev().take(2).map(punctuation).collect();
        match marks[..] {
            [Some('#'), ..] if is_doc => kept.truncate(kept.len() - 1),
            [Some('!'), Some('#')] if is_doc => kept.truncate(kept.len() - 2),
            _ => kept.push(token),
        }
    }
    kept
}

/// Whether the last token is a comma that a formatter may add or remove. In `(x,)` it may not, unless
/// these are the arguments of a call, which is told from what stands `before`.
fn ends_with_idle_comma(tokens: &[TokenTree], around: Delimiter, before: &[TokenTree]) -> bool {
    let commas = tokens.iter().filter(|token| punctuation(token) == Some(',')).count();
    let trails = tokens.last().and_then(punctuation) == Some(',');
    let is_call = match before {
        [.., before, last] if punctuation(last) == Some('>') => {
            !matches!(punctuation(before), Some('-' | '='))
        }
        [.., TokenTree::Ident(name)] => !KEYWORDS.contains(&name.to_string().as_str()),
        [.., TokenTree::Group(_)] => true,
        [.., last] => punctuation(last) == Some('!'),
        [] => false,
    };
    trails && (around != Delimiter::Parenthesis || commas > 1 || is_call)
}

/// Those after which a tuple may stand.
const KEYWORDS: [&str; 14] = [
    "as", "box", "break", "dyn", "else", "for", "if", "impl", "in", "let", "match", "ref",
    "return", "while",
];

fn punctuation(token: &TokenTree) -> Option<char> {
    match token {
        TokenTree::Punct(punct) => Some(punct.as_char()),
        _ => None,
    }
}
