/** All commands for operators. */
import { Command } from 'commander';
import { addAccountCommands } from './account-commands.ts';
import { addCertificateCommands } from './certificate-commands.ts';
import { addDomainCommands } from './domain-commands.ts';
import { addIndexNowCommands } from './indexnow-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addOperatorTokenCommand } from './operator-token-command.ts';
import { addPageHostCommand } from './page-host-command.ts';
import { addPlanCommands } from './plan-commands.ts';
import { addSignInCommand } from './sign-in-command.ts';
import { addSiteCommands } from './site-commands.ts';
import { addSitemapCommands } from './sitemap-commands.ts';
import { addStorageCommand } from './storage-command.ts';
import { addUploadCommands } from './upload-commands.ts';
import { addUsageCommand } from './usage-command.ts';
import { addWebhookCommands } from './webhook-commands.ts';

/** Use a program for one command line only, because it keeps the options of the last command line. */
export function createProgram(): Command {
  const program = new Command('waypost')
    .description(
      'Administers Waypost. Uses the database at DATABASE_URL, or that of the all in one running on DATA_DIR.',
    )
    .showHelpAfterError()
    // Before the commands are added, because they inherit it.
    .exitOverride();
  addAccountCommands(program);
  addPlanCommands(program);
  addKeyCommands(program);
  addSignInCommand(program);
  addOperatorTokenCommand(program);
  addDomainCommands(program);
  addCertificateCommands(program);
  addIndexNowCommands(program);
  addSitemapCommands(program);
  addPageHostCommand(program);
  addUploadCommands(program);
  addUsageCommand(program);
  addSiteCommands(program);
  addStorageCommand(program);
  addWebhookCommands(program);
  return program;
}
