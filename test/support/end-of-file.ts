/**
 * What support modules do at the end of each test file. The files of a worker share their modules, so a hook at the top of
 * a support module would belong to the first file alone.
 */
const works: (() => void)[] = [];

/** Call it at the top of a module. `work` runs at the end of each file from then on. */
export function atEndOfFile(work: () => void): void {
  works.push(work);
}

/** For the setup of each file. */
export function endFile(): void {
  for (const work of works) work();
}
