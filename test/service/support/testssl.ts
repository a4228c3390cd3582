/** testssl.sh as a judge of a TLS port. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const run = promisify(execFile);

interface Finding {
  readonly id: string;
  readonly severity: string;
  readonly finding: string;
}

export interface Judgement {
  /** Whether the scan has both its first and its last part. */
  readonly whole: boolean;
  /** What is worse than LOW. */
  readonly bad: readonly Finding[];
}

/** `address`: the hostname and port of a server on this machine. `caFile`: the certificate of its authority. */
export async function judgeByTestssl(address: string, caFile: string): Promise<Judgement> {
  const file = join(await createTemporaryFolder(), 'testssl.json');
  const options = ['--jsonfile', file, '--ip', '127.0.0.1', '--nodns', 'none', '--warnings', 'off'];
  const what = ['--protocols', '--server-defaults', '--server-preference', '--std', '--vulnerable'];
  // Its exit code is the number of findings.
  await run('testssl', [...options, '--add-ca', caFile, ...what, address], { maxBuffer: 2 ** 24 }).catch(
    () => {},
  );
  const found: Finding[] = JSON.parse(await readFile(file, 'utf8'));
  const severities = new Map(found.map(({ id, severity }) => [id, severity]));
  return {
    whole: severities.get('TLS1_3') === 'OK' && severities.get('RC4') === 'OK',
    bad: found.filter(({ severity }) => ['MEDIUM', 'HIGH', 'CRITICAL', 'FATAL'].includes(severity)),
  };
}
