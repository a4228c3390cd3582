/** Shows progress: a bar on a terminal, or a line per 10% in a log. */
import { SingleBar } from 'cli-progress';
import { print } from '../../src/platform/process/print.ts';

export interface Progress {
  update(done: number): void;
  stop(): void;
}

export function startProgressBar(title: string, total: number, unit: string): Progress {
  return process.stdout.isTTY ? terminalBar(title, total, unit) : logLines(title, total, unit);
}

function terminalBar(title: string, total: number, unit: string): Progress {
  const bar = new SingleBar({
    format: `${title.padEnd(13)} {bar} {percentage}% | {value}/{total} ${unit}`,
    fps: 10,
  });
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

function logLines(title: string, total: number, unit: string): Progress {
  let tenths = 0;
  return {
    update(done) {
      const reached = Math.floor((done / total) * 10);
      if (reached <= tenths) return;
      tenths = reached;
      print(`${title}: ${tenths * 10}% of ${total.toLocaleString('en-US')} ${unit}`);
    },
    stop() {},
  };
}
