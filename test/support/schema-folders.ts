/** The folders of the public sitemap schemas: fetched by `npm run test:schemas`, or beside the checkout. */
import { resolve } from 'node:path';

export const FETCHED_SCHEMAS = resolve(import.meta.dirname, '../.schemas');

/** Each folder has all schemas. Tests use the first folder that exists. */
export const SCHEMA_FOLDERS = [FETCHED_SCHEMAS, resolve(import.meta.dirname, '../../../shared/xsd')];
