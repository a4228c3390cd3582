/** Prints text for people on the terminal, separate from the log. */
export function print(text = ''): void {
  process.stdout.write(`${text}\n`);
}

export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Lets a process go on when the reader of its standard output leaves, as `head` does when it has read enough, or when a disk is full. */
export function outliveReader(): void {
  process.stdout.on('error', () => {});
}
