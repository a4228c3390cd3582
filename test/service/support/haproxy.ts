/** haproxy on loopback: the load balancer in front of Waypost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';

export interface Haproxy extends AsyncDisposable {
  /** What it has said, as of servers that come and go. */
  said(): string;
}

const TIMEOUTS = ['timeout connect 5s', 'timeout client 60s', 'timeout server 60s'];

/**
 * Writes the configuration to `file`, and starts. It listens some moments later. `defaults`: lines for all sections, beside the timeouts.
 * `sections`: each with its lines.
 */
export async function startHaproxy(
  file: string,
  defaults: readonly string[],
  sections: readonly (readonly string[])[],
): Promise<Haproxy> {
  const all = [['defaults', ...TIMEOUTS, ...defaults], ...sections];
  await writeFile(file, all.map(([head, ...lines]) => `${[head, ...lines].join('\n  ')}\n`).join(''));
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  haproxy.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const exited = once(haproxy, 'exit');
  return {
    said: () => said,
    async [Symbol.asyncDispose]() {
      haproxy.kill();
      await exited;
    },
  };
}
