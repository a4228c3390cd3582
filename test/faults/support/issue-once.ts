/** A process that works once on the certificate that its parent names. It dies whenever its parent likes. */
import { type IssuingSettings, openIssuing } from './issuing.ts';

process.once('message', async ({ domainId, ...settings }: IssuingSettings & { domainId: string }) => {
  await using issuing = openIssuing(settings);
  await issuing.issue(domainId);
  process.disconnect();
});
process.send?.('ready');
