/** The client in a terminal: completions in a real shell, and a real terminal by Python's pty. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { PROJECT } from '../architecture/import-graph.ts';
import { needs } from '../support/needs.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { API_KEY, startFakeWaypost } from './support/fake-waypost.ts';
import { PUBLISHED } from './support/published.ts';
import { runClient } from './support/run-client.ts';

const folder = await createTemporaryFolder();

describe('completions of bash', () => {
  const script = join(folder, 'waypost.bash');
  beforeAll(async () => {
    await writeFile(script, (await runClient(['completions', 'bash'])).stdout);
  });

  function complete(line: string): string[] {
    const words = line.split(' ');
    const commands = `
      source '${script}'
      COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${words.length - 1}
      _waypost
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', commands], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  test.for([
    ['waypost upl', ['upload', 'uploads']],
    ['waypost domains ve', ['verify']],
    ['waypost uploads publish --if', ['--if-generation']],
    ['waypost upload urls.csv --max', ['--max-rejected', '--max-rejected-percent']],
    ['waypost rollback maps.example.com --t', ['--to']],
    ['waypost upload urls', []],
  ] as const)('of "%s"', ([line, words]) => expect(complete(line)).toEqual(words));
});

test.for(['zsh', 'fish'])('completions of %s name every command', async (shell) => {
  const { code, stdout } = await runClient(['completions', shell]);
  expect(code).toBe(0);
  for (const word of ['upload', 'rollback', 'doctor-dns', 'guard', 'if-generation'])
    expect(stdout).toContain(word);
});

/** Runs the client on a terminal, types a line of `typed` whenever it has asked, and prints all that the terminal showed. */
const ON_TERMINAL = `
import os, pty, sys
asks, typed, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
shown, seen = b"", 0
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if asks and typed and asks.encode() in shown[seen:]:
        seen = len(shown)
        line, enter, typed = typed.partition("\\r")
        os.write(terminal, (line + enter).encode())
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

describe('on a terminal', needs('python3'), async () => {
  const waypost = await startFakeWaypost();
  const client = [process.execPath, join(PROJECT, 'client/src/cli/waypost.ts')];
  const runOnTerminal = (asks: string, typed: string, command: readonly string[]) =>
    runClient([asks, typed, ...command], {
      program: ['python3', '-c', ON_TERMINAL],
      environment: { XDG_CONFIG_HOME: folder, TERM: 'xterm' },
    });
  const onTerminal = (asks: string, typed: string, ...args: string[]) =>
    runOnTerminal(asks, typed, [...client, ...args]);

  test('login does not show the key', async () => {
    waypost.play(() => ({ data: [{ hostname: 'maps.example.com' }] }));
    const typed = `x\x7f${API_KEY}\r`;
    const { code, stdout } = await onTerminal('API key: ', typed, 'login', '--url', waypost.url);
    expect(stdout).toContain('Saved in');
    expect(stdout).not.toContain('sk_live_');
    expect(code).toBe(0);
    const saved = JSON.parse(await readFile(join(folder, 'waypost/config.json'), 'utf8'));
    expect(saved).toEqual({ url: waypost.url, apiKey: API_KEY });
  });

  test.each([
    ['each in its turn', ' key: ', 'AKIAEXAMPLE\rwJalrEXAMPLE\r'],
    ['both at once', 'Access key: ', 'AKIAEXAMPLE\nwJalrEXAMPLE\r'],
  ])('connections set asks for both keys and shows none: %s', async (_, asks, typed) => {
    waypost.play(async (_seen, request) => {
      await request.whole();
      return { data: { name: 'lake', buckets: ['exports'], endpoint: 'https://s3.example.net' } };
    });
    const set = ['connections', 'set', 'lake', '--region', 'us-east-1', '--bucket', 'exports'];
    const { code, stdout } = await onTerminal(asks, typed, ...set, '--url', waypost.url);
    expect(stdout).toContain('The connection lake may read exports');
    expect(stdout).not.toContain('EXAMPLE');
    expect(code).toBe(0);
    expect(JSON.parse(waypost.seen[0]!.body.toString())).toMatchObject({
      accessKeyId: 'AKIAEXAMPLE',
      secretAccessKey: 'wJalrEXAMPLE',
    });
  });

  test('Ctrl+C ends the question', async () => {
    expect(await onTerminal('API key: ', '\x03', 'login', '--url', waypost.url)).toMatchObject({ code: 130 });
  });

  test('an upload has a line that moves, and leaves only the result', async () => {
    const path = join(folder, 'urls.txt');
    await writeFile(path, 'https://www.example.com/\n'.repeat(100_000));
    waypost.play(async (_seen, request) => {
      await request.whole();
      return { data: PUBLISHED };
    });
    const { code, stdout } = await onTerminal('', '', 'upload', path, '--domain', 'maps.example.com');
    // Each line begins by erasing the last one.
    const lines = stdout.split('\r\x1b[K');
    expect(lines[1]).toMatch(/^[█░]+ \d+ %, .* of 2\.5 MB sent, /);
    expect(lines.at(-1)).toMatch(/^Published 2 URLs/);
    expect(code).toBe(0);
  });

  test('a terminal without control codes gets lines', async () => {
    const path = join(folder, 'url.txt');
    await writeFile(path, 'https://www.example.com/\n');
    waypost.play(async (_seen, request) => {
      await request.whole();
      return { data: PUBLISHED };
    });
    const command = ['env', 'TERM=dumb', ...client, 'upload', path, '--domain', 'maps.example.com'];
    const { code, stdout } = await runOnTerminal('', '', command);
    expect(stdout).toMatch(/^100 %, 25 bytes of 25 bytes sent, .*\r\nPublished 2 URLs/);
    expect(stdout).not.toContain('\x1b');
    expect(code).toBe(0);
  });
});
