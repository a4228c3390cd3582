/** The test files that SERVICE_STORAGE=s3 leaves out of the service suite. */
import { spawnSync } from 'node:child_process';

const { SERVICE_STORAGE, S3_TEST_ENDPOINT } = process.env;

export const isS3Wanted = SERVICE_STORAGE === 's3';

/** With S3, leaves out the suite of the all-in-one program. Without an S3 store, leaves out every suite and warns loudly. */
export function notOnS3(): string[] {
  if (!isS3Wanted) {
    if (SERVICE_STORAGE === undefined || SERVICE_STORAGE === 'folder') return [];
    throw new Error('SERVICE_STORAGE must be s3 or folder');
  }
  if (S3_TEST_ENDPOINT !== undefined || spawnSync('radosgw', ['--version']).status === 0) {
    return ['test/service/process-{life.proofs,start}.test.ts'];
  }
  process.stderr.write(
    '\n*** THE SERVICE SUITE IS NOT RUN ON S3: set S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY and S3_TEST_SECRET_KEY,\n' +
      '*** or install radosgw ceph-mon ceph-osd ceph-common (Debian).\n\n',
  );
  return ['test/service/**'];
}
