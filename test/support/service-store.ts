/**
 * Vitest's global setup for SERVICE_STORAGE=s3: one S3 store (see tools/s3-store.ts) for the whole service suite. Each test
 * file creates its own buckets.
 */
import type { TestProject } from 'vitest/node';
import { findS3Store } from '../../tools/s3-store.ts';
import { isS3Wanted } from './not-on-s3.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined when the service suite runs on folders. */
    readonly serviceStore: ServiceStore | undefined;
  }
}

export interface ServiceStore {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!isS3Wanted) return undefined;
  const store = await findS3Store();
  // not-on-s3.ts has already warned.
  if (store === undefined) return undefined;
  const { endpoint, region, accessKey, secretKey } = store.options;
  const keys = { accessKey: accessKey.reveal(), secretKey: secretKey.reveal() };
  project.provide('serviceStore', { endpoint, region, ...keys });
  return async () => store[Symbol.asyncDispose]();
}
