/**
 * The SQL of changes of the usage of accounts (docs/decisions/0078). A change is inserted in the transaction of its upload, so the change
 * counts exactly once. `features/usage/` adds the changes up.
 */

/** Returns a part of a statement that records usage. `rows`: a query of rows with `account_id`, `urls` and `bytes`. */
export const usageOf = (rows: string) => `
  INSERT INTO usage_changes (account_id, urls, bytes)
  SELECT account_id, sum(urls), sum(bytes) FROM (${rows}) AS used GROUP BY account_id`;
