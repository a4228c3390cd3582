import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../../src/platform/process/shell-word.ts';

test.each(['./data', '/var/lib/way post', "it's $HOME", '~/data', 'Größe\n"x"'])('%j is one word', (text) => {
  const output = execFileSync('sh', ['-c', `printf '<%s>' ${shellWord(text)}`], { encoding: 'utf8' });
  expect(output).toBe(`<${text}>`);
});

test('a plain path stays as it is', () => {
  expect(shellWord('./data/demo.json')).toBe('./data/demo.json');
});
