/** `waypost needs`: lists what people must do. */
import type { Command } from 'commander';
import type { Need } from '../answers.ts';
import { openSession } from './session.ts';

export function addNeedsCommand(program: Command): void {
  program
    .command('needs')
    .description('list what needs you, the most urgent first')
    .argument('[domain]', 'only of this domain: its hostname or id')
    .addHelpText('after', '\nExample:\n  $ waypost needs sitemaps.example.com')
    .action(async (domain: string | undefined, _options: object, command: Command) => {
      const { waypost, out } = await openSession(command);
      const found = await waypost.needs({ domain });
      out.printJson(found);
      if (found.needs.length === 0) return out.say('Nothing needs you.');
      out.printTable(['UNTIL', 'WHAT', 'MORE'], found.needs.map(cellsOf));
      const left = found.total - found.needs.length;
      if (left > 0) out.say(`And ${left} more. Name a domain to see its own.`);
    });
}

const cellsOf = ({ deadline, title, detail }: Need) => [deadline ?? '', title, detail];
