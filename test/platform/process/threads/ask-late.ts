/** A thread whose tasks end while a request is under way. The answer makes it ask again. */
import { serveTasks } from '../../../../src/platform/process/serve-tasks.ts';

serveTasks<string, string, void>(
  async (name, ask) => {
    await ask(name);
    void ask(`${name} ahead`).then(() => ask(`${name} late`));
  },
  () => [],
);
