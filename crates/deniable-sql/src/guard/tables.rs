//! Which tables a query reads: one table can have many names.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{Column, Result};
use datafusion::datasource::listing::ListingTable;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::TableScan;

use crate::error::refused;

/// The tables so far.
#[derive(Default)]
pub(super) struct Tables(Vec<Table>);

struct Table {
    /// With its catalog and schema.
    name: String,
    provider: Option<Arc<dyn TableProvider>>,
    files: Vec<String>,
}

impl Tables {
    /// The number of a table: the same for all of its names, as far as that can be known.
    ///
    /// # Errors
    ///
    /// A view that the engine has not put in its place; a table without a name beside others, of which it may be any.
    pub(super) fn number(&mut self, scan: &TableScan, config: &ConfigOptions) -> Result<usize> {
        if scan.source.get_logical_plan().is_some() {
            return Err(refused(
                "a view",
                "the engine keeps it apart, and what is in it is not seen; accepted is a query that has its text in it",
            ));
        }
        let catalog = &config.catalog;
        let full =
            scan.table_name.clone().resolve(&catalog.default_catalog, &catalog.default_schema);
        let provider = source_as_provider(&scan.source).ok();
        let listing =
            provider.as_ref().and_then(|provider| provider.downcast_ref::<ListingTable>());
        let files =
            listing.map(|table| table.table_paths().iter().map(ToString::to_string).collect());
        let table = Table { name: full.to_string(), provider, files: files.unwrap_or_default() };
        if let Some(place) = self.0.iter().position(|other| other.may_be(&table)) {
            return Ok(place);
        }
        self.0.push(table);
        Ok(self.0.len() - 1)
    }

    pub(super) fn name(&self, number: usize) -> &str {
        self.0.get(number).map_or("VALUES", |table| &table.name)
    }
}

impl Table {
    fn may_be(&self, other: &Table) -> bool {
        let is_one = match (&self.provider, &other.provider) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let shares = |a: &String| {
            other.files.iter().any(|b| a.starts_with(b.as_str()) || b.starts_with(a.as_str()))
        };
        // Tables without a name could be any.
        let unnamed = [self, other].iter().any(|table| table.name.ends_with("?table?"));
        is_one || self.name == other.name || unnamed || self.files.iter().any(shares)
    }
}

/// The columns that the order of a table's rows tells: those that are the names of folders, and those that it is sorted by.
pub(super) fn ordering(scan: &TableScan) -> Vec<String> {
    let Ok(provider) = source_as_provider(&scan.source) else {
        return Vec::new();
    };
    let Some(table) = provider.downcast_ref::<ListingTable>() else {
        return Vec::new();
    };
    let options = table.options();
    let folders = options.table_partition_cols.iter().map(|(name, _)| name.clone());
    let sorts = options.file_sort_order.iter().flatten();
    let sorted = sorts.flat_map(|sort| {
        sort.expr.column_refs().into_iter().map(|column: &Column| column.name.clone())
    });
    folders.chain(sorted).collect()
}
