import { expect, test, vi } from 'vitest';
import { printJson } from '../../src/cli/print-json.ts';

test('the output is one JSON value, with times in whole seconds', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  printJson([{ at: new Date('2026-01-15T10:00:00.789Z'), never: null, count: 1, name: '\x1b[2J\x9b\u202e' }]);
  const printed = write.mock.calls.map(([text]) => text).join('');
  write.mockRestore();
  expect(JSON.parse(printed)).toEqual([
    { at: '2026-01-15T10:00:00Z', never: null, count: 1, name: '\x1b[2J\x9b\u202e' },
  ]);
  // No terminal control remains.
  for (const control of ['\x1b', '\x9b', '\u202e']) expect(printed).not.toContain(control);
});
