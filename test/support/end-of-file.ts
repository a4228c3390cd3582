/**
 * Runs the work of support modules at the end of each test file. The files of a worker share their modules, so a hook at the
 * top of a support module would belong to the first file only.
 */
const works: (() => void)[] = [];

/** Call it at the top of a module. `work` runs at the end of each file from then on. */
export function atEndOfFile(work: () => void): void {
  works.push(work);
}

/** Runs the work. The setup of each file calls this at its end. */
export function endFile(): void {
  for (const work of works) work();
}
