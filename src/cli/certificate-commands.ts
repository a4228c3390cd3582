/** The commands for certificates: list them, and order new ones. */
import type { Command } from 'commander';
import type { ListedCertificate } from '../features/certificates/certificate.ts';
import { listCertificates } from '../features/certificates/certificate-list-store.ts';
import { renewCertificate } from '../features/certificates/renew-certificate.ts';
import { askToReplaceLost } from '../features/certificates/replace-lost.ts';
import { print } from '../platform/process/print.ts';
import { withDatabase } from './connect.ts';
import { ACCOUNT_OPTION, type AccountOption, getDomain } from './get-domain.ts';
import { JSON_OPTION } from './print-json.ts';
import { type ListOptions, limitOption, printList } from './print-list.ts';
import { shownTime } from './print-table.ts';

export function addCertificateCommands(program: Command): void {
  const certificate = program.command('certificate').description('list certificates, and renew them');
  certificate
    .command('list')
    .description('list certificates, those that expire first at the top')
    .option('--failing', 'only those whose last attempt failed')
    .option(...limitOption(1_000))
    .option(...JSON_OPTION)
    .action(({ failing = false, ...options }: ListOptions & { failing?: boolean }) =>
      withDatabase((database) =>
        printList<ListedCertificate>(options, {
          read: (limit) => listCertificates(database, failing, limit),
          atOnce: Number.POSITIVE_INFINITY,
          head: [
            'hostname',
            'account',
            'status',
            'issuer',
            'expires',
            'renewal',
            'next attempt',
            'last error',
          ],
          cellsOf: (one) => [
            one.hostname,
            one.accountId,
            one.status,
            one.issuer ?? '',
            ...[one.notAfter, one.renewAt, one.nextAttemptAt].map(shownTime),
            one.lastError ?? '',
          ],
        }),
      ),
    );
  certificate
    .command('renew')
    .description('get a new certificate now, for example after a private key has leaked')
    .argument('<hostname>')
    .option(...ACCOUNT_OPTION)
    .addHelpText('after', '\nThe jobs processes do the work. `certificate list` shows how it ended.')
    .action(async (given: string, account: AccountOption) => {
      const hostname = await withDatabase(async (database) => {
        const domain = await getDomain(database, given, account);
        await renewCertificate(database, domain);
        return domain.hostname;
      });
      print(`A new certificate of ${hostname} is being ordered.`);
    });
  certificate
    .command('replace-lost')
    .description(
      'order new certificates for those whose private keys are lost with a key of CERTIFICATE_KEYS',
    )
    .argument('<key-id>', 'the id of the lost key, as in k1')
    .addHelpText(
      'after',
      '\nIf you still have the key, put it back into CERTIFICATE_KEYS instead. The jobs processes do the work, at the rate of the\nlimits of the authority. They keep what their CERTIFICATE_KEYS can open.',
    )
    .action(async (keyId: string) => {
      const certificates = await withDatabase((database) => askToReplaceLost(database, keyId));
      print(
        `The key ${keyId} has sealed certificates: ${certificates}. The jobs replace those that they cannot open.`,
      );
    });
}
