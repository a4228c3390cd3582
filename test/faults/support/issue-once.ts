/** A process that works once on the certificate that its parent names. It dies whenever its parent likes. */
import { type IssuanceTask, openIssuing } from './issuing.ts';

process.once('message', async ({ domainId, ...settings }: IssuanceTask) => {
  await using issuing = openIssuing(settings);
  await issuing.issue(domainId);
  process.disconnect();
});
process.send?.('ready');
