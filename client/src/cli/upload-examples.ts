/** The last part of `waypost upload --help`. */
export const UPLOAD_EXAMPLES = `
Forms, by suffix: .json .ndjson .jsonl .csv .tsv .txt .xml .parquet, each also as .gz .zst .br
  CSV has a header: loc,lastmod,changefreq,priority,…  Text has a URL on each line.
Several files are one upload, in order. Later headers of CSV must be the same, and are dropped.

Examples:
  $ waypost upload urls.csv --domain sitemaps.example.com
  $ waypost upload part-*.csv.gz --domain sitemaps.example.com --name products
  $ waypost upload urls.csv --domain sitemaps.example.com --dry-run
  $ waypost upload internal_all.csv --domain sitemaps.example.com --columns 'loc:Address' --where 'Status Code:200'
  $ waypost upload urls.csv --domain sitemaps.example.com --skip-invalid --max-rejected-percent 1 --rejects out.ndjson

A producer that may die. A pipe does not say how its writer ended, so choose one of:
  $ waypost upload --from "psql -c 'COPY … TO STDOUT CSV HEADER'" --form csv --domain sitemaps.example.com
  $ (set -e; producer; echo '#end') | waypost upload - --form csv --expect-end '#end' --domain sitemaps.example.com
  $ producer | waypost upload - --form csv --expect 25000 --domain sitemaps.example.com`;
