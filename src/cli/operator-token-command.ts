/** Makes a token for the operator's API. */
import type { Command } from 'commander';
import { isTokenName, TOKEN_NAME_RULE } from '../core/config/token-hashes.ts';
import { newOperatorToken } from '../features/accounts/operator-token.ts';
import { print } from '../platform/process/print.ts';
import { UsageError } from './usage-error.ts';

export function addOperatorTokenCommand(program: Command): void {
  program
    .command('operator-token')
    .description("print a new token for the operator's API, and its entry for OPERATOR_TOKENS")
    .argument('<name>', 'who uses it; the audit log shows the name')
    .addHelpText(
      'after',
      `
Nothing is stored. To replace a token without a gap: add the entry of the new one, restart the API processes one by one, use the
new token, then take the old entry away.`,
    )
    .action((name: string) => {
      if (!isTokenName(name)) throw new UsageError(`The name ${TOKEN_NAME_RULE}.`);
      const { token, entry } = newOperatorToken(name);
      print(`The token, which is shown only now:\n\n  ${token}\n`);
      print(`Its entry, which is no secret. Put a comma between entries:\n\n  OPERATOR_TOKENS=${entry}`);
    });
}
