/** Runs a statement and returns its rows. */
import type { QueryConfig } from 'pg';
import type { Queryable } from './database.ts';

type Statement = readonly [statement: string | QueryConfig, values?: unknown[]];

export async function allRows<Row extends object>(on: Queryable, ...statement: Statement): Promise<Row[]> {
  return (await on.query<Row>(...statement)).rows;
}

export async function firstRow<Row extends object>(on: Queryable, ...statement: Statement) {
  return (await allRows<Row>(on, ...statement)).at(0);
}

/** For a statement that always gives one row. */
export async function onlyRow<Row extends object>(on: Queryable, ...statement: Statement) {
  return (await allRows<Row>(on, ...statement))[0]!;
}
