/** A thread that makes one stream of zlib after the other until it is stopped. */
import { setImmediate } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { serveTasks } from '../../../../src/platform/process/serve-tasks.ts';

const deflated = deflateRawSync('https://example.com/');

serveTasks(
  async () => {
    for (;;) {
      for (let n = 0; n < 100; n++) inflateRawSync(deflated);
      await setImmediate();
    }
  },
  () => [],
);
