/** Describes the machine in one line, for the top of the figures. */
import { availableParallelism, cpus, release, totalmem } from 'node:os';

export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? process.arch;
  const memory = `${Math.round(totalmem() / 1e9)} GB`;
  const system = `${process.platform} ${release()}`;
  return `${availableParallelism()} × ${model}, ${memory}, ${system}, Node ${process.versions.node}`;
}
