/** Measures whole uploads, over HTTP into the folder store until published. Each kind runs beside its peer. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBenchWaypost, uploadSeconds } from './bench-waypost.ts';
import type { Figure } from './figures.ts';
import { jsonParseSeconds } from './json-parse-baseline.ts';
import { scaled } from './scale.ts';
import { mediansInTurns } from './statistics.ts';
import { type BodyForm, plainEntries, richEntries, uploadBody } from './upload-body.ts';

const ROUNDS = 5;

export async function* benchUpload(scale: number): AsyncGenerator<Figure, void, undefined> {
  const plainUrls = scaled(1_000_000, scale);
  const richUrls = scaled(300_000, scale);
  const plain = plainEntries(plainUrls);
  const rich = richEntries(richUrls);
  await using waypost = await startBenchWaypost();
  const plainFile = join(waypost.dataDir, 'plain.json');
  const richFile = join(waypost.dataDir, 'rich.json');
  await writeFile(plainFile, uploadBody(plain));
  await writeFile(richFile, uploadBody(rich));

  const uploadPlain = (form?: BodyForm) => uploadSeconds(waypost, uploadBody(plain, form), plainUrls);
  const sizedAs = (sizeLimit: string) => ({ members: { sizeLimit } });
  const first = await uploadPlain();
  const seconds = await mediansInTurns(ROUNDS, {
    plainParse: () => jsonParseSeconds(plainFile),
    plain: () => uploadPlain(),
    small: () => uploadPlain(sizedAs('gsc-optimized')),
    balanced: () => uploadPlain(sizedAs('balanced')),
    urlsFirst: () => uploadPlain({ ...sizedAs('balanced'), urlsFirst: true }),
    richParse: () => jsonParseSeconds(richFile),
    rich: () => uploadSeconds(waypost, uploadBody(rich), richUrls),
  });

  yield { name: 'plain: body', value: plain.length / 1e6, unit: 'MB' };
  yield { name: 'plain: first upload of the process', value: first, unit: 's' };
  yield { name: 'plain: upload', value: seconds.plain, unit: 's' };
  yield {
    name: 'plain: throughput',
    value: plainUrls / seconds.plain,
    unit: 'URLs/s',
    goal: { atLeast: 1e6 },
  };
  yield { name: 'plain: JSON.parse', value: seconds.plainParse, unit: 's' };
  yield {
    name: 'plain: upload ÷ JSON.parse',
    value: seconds.plain / seconds.plainParse,
    unit: 'x',
    goal: { atMost: 1.1 },
  };
  yield { name: 'rich: body', value: rich.length / 1e6, unit: 'MB' };
  yield { name: 'rich: upload', value: seconds.rich, unit: 's' };
  yield { name: 'rich: throughput', value: richUrls / seconds.rich, unit: 'URLs/s' };
  yield { name: 'rich: JSON.parse', value: seconds.richParse, unit: 's' };
  yield {
    name: 'rich: upload ÷ JSON.parse',
    value: seconds.rich / seconds.richParse,
    unit: 'x',
    goal: { atMost: 1.5 },
  };
  yield {
    name: 'throughput with `urls` first ÷ with `urls` last',
    value: seconds.balanced / seconds.urlsFirst,
    unit: 'x',
    goal: { atLeast: 0.9 },
  };
  yield {
    name: 'throughput as gsc-optimized ÷ as standard',
    value: seconds.plain / seconds.small,
    unit: 'x',
    goal: { atLeast: 0.7 },
  };
}
