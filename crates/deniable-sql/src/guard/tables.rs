//! Which tables a query reads: one table can have many names.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Column, Result};
use datafusion::datasource::listing::{ListingTable, ListingTableUrl};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use datafusion::object_store;

use crate::error::refused;

/// The tables of a query.
pub(super) struct Tables(Vec<Table>);

struct Table {
    /// With its catalog and schema.
    name: String,
    provider: Option<Arc<dyn TableProvider>>,
    files: Vec<Location>,
    /// The same for all that may be one table.
    number: usize,
}

/// A file, or a folder of files.
struct Location {
    /// With links followed, and without the letters that stand for others.
    path: String,
    /// The files there, if they are on this machine. A file can have several names.
    files: Vec<Identity>,
}

/// The same for all names of a file.
#[cfg(unix)]
type Identity = (u64, u64);
#[cfg(not(unix))]
type Identity = PathBuf;

impl Tables {
    /// Finds all tables of a query, and which of them may be one.
    ///
    /// # Errors
    ///
    /// A view that the engine has not put in its place.
    pub(super) fn of(plan: &LogicalPlan, config: &ConfigOptions) -> Result<Self> {
        let mut tables = Tables(Vec::new());
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                tables.add(scan, config)?;
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(tables)
    }

    fn add(&mut self, scan: &TableScan, config: &ConfigOptions) -> Result<()> {
        if scan.source.get_logical_plan().is_some() {
            return Err(refused(
                "a view",
                "the engine keeps it apart, and what is in it is not seen; accepted is a query that has its text in it",
            ));
        }
        let mut table = Table::of(scan, config);
        if table.has_a_file_twice() {
            return Err(refused(
                &format!("table \"{}\"", table.name),
                "one of its files is there under two names, and would be drawn for twice; accepted is a table of files that differ",
            ));
        }
        table.number = self.0.len();
        // One that may be any of several makes one of all of them.
        let same: Vec<usize> =
            self.0.iter().filter(|other| other.may_be(&table)).map(|other| other.number).collect();
        for other in &mut self.0 {
            if same.contains(&other.number) {
                other.number = table.number;
            }
        }
        self.0.push(table);
        Ok(())
    }

    /// The number of a table: the same for all of its names, as far as that can be known.
    pub(super) fn number(&self, scan: &TableScan, config: &ConfigOptions) -> usize {
        let table = Table::of(scan, config);
        let found = self.0.iter().find(|other| other.may_be(&table));
        found.map_or(usize::MAX, |found| found.number)
    }

    pub(super) fn name(&self, number: usize) -> &str {
        let found = self.0.iter().find(|table| table.number == number);
        found.map_or("VALUES", |table| &table.name)
    }
}

impl Table {
    fn of(scan: &TableScan, config: &ConfigOptions) -> Self {
        let catalog = &config.catalog;
        let full =
            scan.table_name.clone().resolve(&catalog.default_catalog, &catalog.default_schema);
        let provider = source_as_provider(&scan.source).ok();
        let listing =
            provider.as_ref().and_then(|provider| provider.downcast_ref::<ListingTable>());
        let files = listing.map(|table| table.table_paths().iter().map(Location::of).collect());
        Table { name: full.to_string(), provider, files: files.unwrap_or_default(), number: 0 }
    }

    fn has_a_file_twice(&self) -> bool {
        let mut seen = HashSet::new();
        self.files.iter().flat_map(|location| &location.files).any(|file| !seen.insert(file))
    }

    fn may_be(&self, other: &Table) -> bool {
        let is_one = match (&self.provider, &other.provider) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let shares = |a: &Location| other.files.iter().any(|b| a.shares(b));
        // Tables without a name could be any.
        let unnamed = [self, other].iter().any(|table| table.name.ends_with("?table?"));
        is_one || self.name == other.name || unnamed || self.files.iter().any(shares)
    }
}

impl Location {
    fn of(url: &ListingTableUrl) -> Self {
        let plain = format!("{}{}", url.object_store(), url.prefix());
        if url.scheme() != "file" {
            return Location { path: plain, files: Vec::new() };
        }
        let path = PathBuf::from(format!("/{}", url.prefix()));
        let mut files = Vec::new();
        walk(&path, &mut Vec::new(), &mut |file| {
            let is_meant = object_store::path::Path::from_absolute_path(file)
                .map_or(true, |path| url.contains(&path, false));
            if is_meant {
                files.extend(identity(file));
            }
        });
        let path = path.canonicalize().unwrap_or(path);
        Location { path: format!("file://{}", path.display()), files }
    }

    fn shares(&self, other: &Location) -> bool {
        let is_within = |a: &str, b: &str| a.starts_with(b);
        let is_one = self.files.iter().any(|file| other.files.contains(file));
        is_one || is_within(&self.path, &other.path) || is_within(&other.path, &self.path)
    }
}

#[cfg(unix)]
fn identity(file: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(file).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(file: &Path) -> Option<Identity> {
    file.canonicalize().ok()
}

/// Calls `see` for a file, or for all files of a folder and of those in it, by all the ways that lead there. Links are followed, but not in circles.
fn walk(path: &Path, within: &mut Vec<PathBuf>, see: &mut dyn FnMut(&Path)) {
    let Ok(entries) = std::fs::read_dir(path) else {
        return see(path);
    };
    let here = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if within.contains(&here) {
        return;
    }
    within.push(here);
    entries.flatten().for_each(|entry| walk(&entry.path(), within, see));
    within.pop();
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
