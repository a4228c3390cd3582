/** Gives each command the server, the output and the global options. Global options may stand anywhere on the command line. */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Waypost } from '../client.ts';
import { DEFAULT_RETRIES, type Retry } from '../http/retry.ts';
import { badSetting } from '../waypost-error.ts';
import { environment } from './environment.ts';
import { Output } from './output.ts';
import { parseCount } from './parse-option.ts';
import { readLogin } from './saved-login.ts';
import { listenForStop } from './stop-signal.ts';

export interface GlobalOptions {
  readonly url?: string;
  readonly apiKeyStdin?: boolean;
  readonly insecure?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly retries?: number;
}

export interface Session {
  readonly waypost: Waypost;
  readonly out: Output;
  /** Aborts when the user or the system ends the program. */
  readonly signal: AbortSignal;
}

export function addGlobalOptions(program: Command): void {
  program
    .option('--url <url>', 'the address of the API (default: WAYPOST_URL, or that of the last login)')
    .option(
      '--api-key-stdin',
      'read the API key from standard input (default: WAYPOST_API_KEY, or the last login)',
    )
    .option('--insecure', 'allow plain HTTP to other machines, where others can read the key')
    .option('--json', 'print the result as JSON; messages go to standard error')
    .option('-q, --quiet', 'print results and errors only')
    .option('--retries <n>', `attempts after the first one (default: ${DEFAULT_RETRIES})`, parseCount);
}

export async function openSession(command: Command): Promise<Session> {
  const options: GlobalOptions = command.optsWithGlobals();
  const out = new Output(options);
  const signal = listenForStop();
  const { url, apiKey } = await findLogin(options);
  const { insecure = false, retries } = options;
  const waypost = new Waypost({ url, apiKey, insecure, retries, signal, onRetry: sayRetry(out) });
  return { waypost, out, signal };
}

function sayRetry(out: Output) {
  return ({ error, attempt, delayMs }: Retry) => {
    const seconds = Math.max(1, Math.round(delayMs / 1000));
    out.say(`${error.message} Trying again in ${seconds} s (attempt ${attempt + 1}).`);
  };
}

async function findLogin(options: GlobalOptions) {
  const { WAYPOST_URL, WAYPOST_API_KEY } = environment();
  const given = options.url || WAYPOST_URL;
  const hasKey = options.apiKeyStdin || Boolean(WAYPOST_API_KEY);
  // A service may have no home, or the home of another user, so read the file only if something is missing.
  const saved = given && hasKey ? undefined : await readLogin();
  const url = given || saved?.url;
  if (url === undefined) throw badSetting('Which server? Run waypost login, or set WAYPOST_URL or --url.');
  if (options.apiKeyStdin) return { url, apiKey: (await text(process.stdin)).trim() };
  if (WAYPOST_API_KEY) return { url, apiKey: WAYPOST_API_KEY };
  if (saved === undefined) throw badSetting('Which API key? Run waypost login, or set WAYPOST_API_KEY.');
  // A saved key belongs to the server of its login. Another address may be a typing error, or a trap.
  if (url !== saved.url) {
    throw badSetting(
      `The saved API key is for ${saved.url}. Set WAYPOST_API_KEY for ${url}, or run waypost login.`,
    );
  }
  return saved;
}
