/** Invites a member of an account, by default an owner. Owners invite further members on the dashboard's page of members. */
import type { Command } from 'commander';
import type { Config } from '../core/config/config.ts';
import { readProviders } from '../edges/dashboard/oidc/read-providers.ts';
import { COMMAND_LINE } from '../features/accounts/actor.ts';
import { inviteForOperator } from '../features/accounts/change-invitations.ts';
import { invitationLink } from '../features/accounts/invitation-store.ts';
import { ROLES } from '../features/accounts/role.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { getDashboardOrigin } from './dashboard-origin.ts';
import { UsageError } from './usage-error.ts';

/** `account`: the parent command. */
export function addInviteCommand(account: Command): void {
  account
    .command('invite')
    .description('print a link that makes a member of whoever signs in with it, once, within 7 days')
    .argument('<account-id>')
    .option('--role <role>', ROLES.join(', '), 'owner')
    .action(async (id: string, { role }: { role: string }) => {
      const wanted = ROLES.find((one) => one === role);
      if (wanted === undefined) throw new UsageError(`There is no role ${role}. Roles: ${ROLES.join(', ')}.`);
      const link = await withDatabase(async (database, log, config) => {
        requireProvider(config);
        const origin = await getDashboardOrigin(config);
        const { token } = await inviteForOperator(database, COMMAND_LINE, id, wanted);
        log.info({ accountId: id, role }, 'invitation created');
        return invitationLink(origin, token);
      });
      print(link);
    });
}

function requireProvider(config: Config): void {
  if (readProviders(config).length > 0) return;
  throw new UsageError(
    'Nobody can sign in with an invitation: no identity provider is configured. Set OIDC_ISSUER, OIDC_CLIENT_ID and ' +
      'OIDC_CLIENT_SECRET, for the API and for this command (docs/operating.md, "Sign-in"). Without one: sign-in',
  );
}
