import { expect, onTestFinished, test, vi } from 'vitest';
import { Output } from '../../client/src/cli/output.ts';

test('a table may have more rows than a call has arguments', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const rows = Array.from({ length: 200_000 }, (_, n) => [`${n}.example.com`, n]);
  new Output({}).printTable(['HOSTNAME', 'URLS'], rows);
  expect(write).toHaveBeenCalledTimes(200_001);
  expect(write).toHaveBeenLastCalledWith('199999.example.com  199,999\n');
});
