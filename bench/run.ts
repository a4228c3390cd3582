/** `npm run bench -- upload [--json]`: measures, and prints a table for people or one JSON line per figure. */
import { Argument, Command } from 'commander';
import { type Figure, printJson, printTable } from './figures.ts';
import { benchHostile } from './hostile.ts';
import { benchUpload } from './upload.ts';

const BENCHES: Readonly<Record<string, () => AsyncIterable<Figure>>> = {
  upload: benchUpload,
  hostile: benchHostile,
};
const NAMES = Object.keys(BENCHES);

const program = new Command('npm run bench --')
  .description(
    'Measures Waypost on this machine. Ratios hold better than figures: machines differ and are noisy.',
  )
  .addArgument(new Argument('[benches...]').choices(NAMES).default(NAMES))
  .option('--json', 'print one JSON line per figure')
  .showHelpAfterError()
  .parse();

const print = program.opts().json ? printJson : printTable;
for (const name of program.processedArgs[0] as string[]) await print(name, BENCHES[name]!());
