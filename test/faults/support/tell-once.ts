/** A process that changes a domain for its parent, and emits the event. It may die at any time. */
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
