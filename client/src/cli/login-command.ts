/** `waypost login`: asks for the server and the key, tries them, and saves them. */
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Waypost } from '../client.ts';
import { badSetting } from '../waypost-error.ts';
import { allOf } from './all-of.ts';
import { environment } from './environment.ts';
import { Output } from './output.ts';
import { readSecret } from './read-secret.ts';
import { loginPath, saveLogin } from './saved-login.ts';
import type { GlobalOptions } from './session.ts';

export function addLoginCommand(program: Command): void {
  program
    .command('login')
    .description('save the address of the API and your key, in a file that only you can read')
    .addHelpText(
      'after',
      `
The key is asked for without showing it. The login is tried before it is saved.
WAYPOST_URL and WAYPOST_API_KEY go before what is saved; use them in CI.

Examples:
  $ waypost login
  $ waypost login --url https://api.example.net --api-key-stdin < key.txt`,
    )
    .action(async (_options: object, command: Command) => {
      const options: GlobalOptions = command.optsWithGlobals();
      const out = new Output(options);
      const url = options.url || environment().WAYPOST_URL || (await ask('Address of the API: '));
      const apiKey = options.apiKeyStdin ? (await text(process.stdin)).trim() : await readSecret('API key: ');
      const waypost = new Waypost({ url, apiKey, insecure: options.insecure ?? false, retries: 0 });
      const [domain] = await allOf(waypost.listDomains(), 1);
      await saveLogin({ url, apiKey });
      out.printJson({ url, path: loginPath() });
      out.print(`Saved in ${loginPath()}.`);
      if (domain === undefined) out.say('Next: waypost domains add sitemaps.example.com');
    });
}

async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) throw badSetting('Which server? Give --url.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}
