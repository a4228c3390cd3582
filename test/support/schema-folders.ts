/** Where the public schemas of sitemaps lie: as `npm run test:schemas` fetched them, or beside the checkout. */
import { resolve } from 'node:path';

export const FETCHED_SCHEMAS = resolve(import.meta.dirname, '../.schemas');

/** The first that exists has them all. */
export const SCHEMA_FOLDERS = [FETCHED_SCHEMAS, resolve(import.meta.dirname, '../../../shared/xsd')];
