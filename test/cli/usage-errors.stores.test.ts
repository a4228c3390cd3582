/** Requests of an operator that are errors of usage. Each command runs in this process, on a database of its own. */
import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { addAccountCommands } from '../../src/cli/account-commands.ts';
import { addDomainCommands } from '../../src/cli/domain-commands.ts';
import { addKeyCommands } from '../../src/cli/key-commands.ts';
import { addPageHostCommand } from '../../src/cli/page-host-command.ts';
import { addSitemapCommands } from '../../src/cli/sitemap-commands.ts';
import { addUploadCommands } from '../../src/cli/upload-commands.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { addWebhookCommands } from '../../src/cli/webhook-commands.ts';
import { createTestDatabase } from '../support/test-database.ts';

vi.stubEnv('DATABASE_URL', (await createTestDatabase()).url.reveal());

const noAccount = 'There is no account account_none. See: account list';
const noDomain = 'There is no domain none.example.';

test.each([
  ['account show account_none', noAccount],
  ['key list account_none', noAccount],
  ['account suspend account_none', noAccount],
  ['account resume account_none', noAccount],
  ['account set-plan account_none pro', noAccount],
  ['account set-plan account_none gold', 'There is no plan gold. Plans: '],
  ['account create x --plan gold', 'There is no plan gold. Plans: '],
  ['account create ', 'name: must have 1 to 100 characters'],
  ['account create x --ref .', 'ref: must begin with a letter or digit'],
  ['account delete account_none', 'Add --yes to confirm'],
  ['key create account_none', noAccount],
  ['key create account_none x --expires yesterday', '--expires yesterday'],
  ['key revoke key_none', 'There is no such key.'],
  ['domain list --account account_none', noAccount],
  ['domain show none.example', noDomain],
  ['domain check none.example', noDomain],
  ['domain verify none.example', '--force'],
  ['domain delete none.example', 'Add --yes to confirm'],
  ['upload list --account account_none', noAccount],
  ['upload list --domain none.example', noDomain],
  ['upload list --limit 0', '--limit 0 is not a whole number above 0.'],
  ['sitemap list none.example', noDomain],
  ['page-host list none.example', noDomain],
  ['webhook disable webhook_none', 'There is no webhook webhook_none.'],
])('waypost %s', async (line, message) => {
  const program = new Command('waypost');
  addAccountCommands(program);
  addKeyCommands(program);
  addDomainCommands(program);
  addUploadCommands(program);
  addSitemapCommands(program);
  addPageHostCommand(program);
  addWebhookCommands(program);
  const error = await program.parseAsync(line.split(' '), { from: 'user' }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toContain(message);
});
