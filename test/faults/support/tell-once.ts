/** A process that changes the domain that its parent names, and tells of it. It dies whenever its parent likes. */
import { openTelling, type TellingTask } from './telling.ts';

process.once('message', async ({ domain, ...settings }: TellingTask) => {
  await using telling = openTelling(settings);
  try {
    await telling.change(domain);
    await telling.deliver();
  } catch {
    // The survivor does the rest.
  }
  process.disconnect();
});
process.send?.('ready');
