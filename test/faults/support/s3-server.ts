/** Vitest's global setup: one S3 store for the whole run. */
import type { TestProject } from 'vitest/node';
import { findS3Store } from '../../../tools/s3-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly s3: {
      readonly endpoint: string;
      readonly region: string;
      readonly accessKey: string;
      readonly secretKey: string;
      readonly cephConf: string | undefined;
    };
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const store = await findS3Store();
  if (store === undefined) {
    throw new Error(
      'These tests need an S3 store: install radosgw (apt-get install radosgw ceph-mon ceph-osd ceph-common curl), ' +
        'or name one by S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY and S3_TEST_SECRET_KEY.',
    );
  }
  const { endpoint, region, accessKey, secretKey } = store.options;
  project.provide('s3', {
    endpoint,
    region,
    accessKey: accessKey.reveal(),
    secretKey: secretKey.reveal(),
    cephConf: store.cephConf,
  });
  return async () => store[Symbol.asyncDispose]();
}
