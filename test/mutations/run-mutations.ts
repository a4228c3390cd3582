/**
 * Judges the judge: puts one fault after the other into a copy of the WebAssembly and demands that a test finds it.
 *
 *     npm run test:mutations [-- part of a fault or a file …]
 *
 * Exits with 1 if a mutation survives or cannot be applied, or if the judge fails without a mutation.
 */
import { JudgedCopy } from './judged-copy.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

const MAX_SHOWN_TESTS = 10;

const wanted = process.argv.slice(2);
const chosen = MUTATIONS.filter(
  ({ fault, file }) => wanted.length === 0 || wanted.some((part) => `${file}: ${fault}`.includes(part)),
);

await using copy = await JudgedCopy.open();
const sound = await copy.compile();
console.log(`${chosen.length} mutations. First the judge must pass without one.`);
const { passed, failed: failing } = await copy.judge(false);
if (passed === 0) throw new Error(`The judge does not run: ${failing.join('; ')}`);
if (failing.length > 0) {
  console.log(`${failing.length} TESTS FAIL WITHOUT A MUTATION, so they find none:`);
  for (const name of failing.slice(0, MAX_SHOWN_TESTS)) console.log(`  ${name}`);
  if (failing.length > MAX_SHOWN_TESTS) console.log('  …');
}

let missed = chosen.length === 0 ? 1 : 0;
for (const mutation of chosen) {
  const start = performance.now();
  const result = await judge(mutation);
  if (!result.isFound) missed++;
  const seconds = ((performance.now() - start) / 1_000).toFixed(1).padStart(6);
  console.log(`${seconds} s  ${`${mutation.file}: ${mutation.fault}`.padEnd(84)}  ${result.text}`);
}
console.log(`${chosen.length - missed} of ${chosen.length} mutations are found.`);
process.exitCode = missed === 0 && failing.length === 0 ? 0 : 1;

async function judge({ file, find, replacement }: Mutation): Promise<{ isFound: boolean; text: string }> {
  const source = await copy.source(file);
  const occurrences = source.split(find).length - 1;
  if (occurrences !== 1) return { isFound: false, text: `NOT APPLIED: its text occurs ${occurrences} times` };
  let compiled: Buffer;
  try {
    compiled = await copy.compile(
      file,
      source.replace(find, () => replacement),
    );
  } catch (error) {
    return { isFound: false, text: `NOT APPLIED: it does not compile: ${error}` };
  }
  if (compiled.equals(sound)) return { isFound: false, text: 'NOT APPLIED: what is compiled is the same' };
  const [finder] = (await copy.judge(true, failing)).failed;
  return finder === undefined ? { isFound: false, text: 'SURVIVES' } : { isFound: true, text: finder };
}
