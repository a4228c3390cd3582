/** Standard error that takes no lines. */
import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const LOG = fileURLToPath(new URL('../../src/platform/log.ts', import.meta.url));

test.skipIf(!existsSync('/dev/full'))('a process goes on while its log is on a full disk', () => {
  const program = `
    import { createLog } from '${LOG}';
    const log = createLog('test', 'info');
    for (let n = 0; n < 3; n++) log.info({ n }, 'a line');
    process.stdout.write('goes on');`;
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'goes on' });
});
