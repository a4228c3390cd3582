/** The last part of `waypost delta --help`. */
export const DELTA_EXAMPLES = `
An operation on each line:
  {"upsert":{"loc":"https://www.example.com/a","lastmod":"2026-01-15"}}    adds the entry, or replaces that of its loc
  {"remove":"https://www.example.com/b"}
Removals of --remove come first, then --upsert, then the files. Of several operations on a URL, the last one counts.
Files may be .gz or .br. More than 100,000 operations are several deltas: if a later one fails, the earlier ones stay.

Examples:
  $ waypost delta changes.ndjson --domain sitemaps.example.com
  $ waypost delta --remove gone.txt --upsert changed.ndjson --domain sitemaps.example.com --name products
  $ waypost delta changes.ndjson --domain sitemaps.example.com --dry-run
  $ psql -qAtc 'SELECT …' | waypost delta - --domain sitemaps.example.com`;
