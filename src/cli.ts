/** The command line for operators. */
import { Command } from 'commander';
import { addAccountCommands } from './cli/account-commands.ts';
import { addCertificateCommands } from './cli/certificate-commands.ts';
import { addDomainCommands } from './cli/domain-commands.ts';
import { addIndexNowCommands } from './cli/indexnow-commands.ts';
import { addKeyCommands } from './cli/key-commands.ts';
import { addSignInCommand } from './cli/sign-in-command.ts';
import { addSiteCommands } from './cli/site-commands.ts';
import { addUploadCommands } from './cli/upload-commands.ts';
import { addWebhookCommands } from './cli/webhook-commands.ts';
import { reportFailure } from './platform/process/run-process.ts';

const program = new Command('waypost')
  .description(
    'Administers Waypost. Uses the database at DATABASE_URL, or that of the all in one running on DATA_DIR.',
  )
  .showHelpAfterError();
addAccountCommands(program);
addKeyCommands(program);
addSignInCommand(program);
addDomainCommands(program);
addCertificateCommands(program);
addIndexNowCommands(program);
addUploadCommands(program);
addSiteCommands(program);
addWebhookCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}
