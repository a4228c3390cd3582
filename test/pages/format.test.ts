import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Threads cannot change the zone of their clock, so a process of its own says the day. */
async function saidIn(
  zone: string,
  say: 'dayInWords' | 'utcDayInWords',
  day: string,
  now: string,
): Promise<string> {
  const script = `
    import { ${say} } from ${JSON.stringify(new URL('../../pages/parts/format.ts', import.meta.url).href)};
    console.log(${say}('${day}', Date.parse('${now}')));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { TZ: zone },
  });
  return stdout.trim();
}

test.each(['America/New_York', 'UTC', 'Pacific/Kiritimati'])(
  'a day in UTC is that day in %s',
  async (zone) => {
    const now = '2026-01-15T15:00:00Z';
    expect(await saidIn(zone, 'utcDayInWords', '2026-01-15', now)).toBe('today');
    expect(await saidIn(zone, 'utcDayInWords', '2026-01-14', now)).toBe('yesterday');
    expect(await saidIn(zone, 'utcDayInWords', '2026-01-12', now)).toBe('12 Jan');
    expect(await saidIn(zone, 'utcDayInWords', '2025-12-31', now)).toBe('31 Dec 2025');
  },
);

test.each([
  ['tomorrow', 'the late evening before a day of 23 hours', '2026-03-29T12:00:00Z', '2026-03-28T22:30:00Z'],
  ['yesterday', 'the first hour after a day of 23 hours', '2026-03-29T12:00:00Z', '2026-03-29T22:30:00Z'],
  ['tomorrow', 'the first hour of a day of 25 hours', '2026-10-26T12:00:00Z', '2026-10-24T22:30:00Z'],
  ['today', 'the last hour of a day of 25 hours', '2026-10-25T12:00:00Z', '2026-10-25T22:30:00Z'],
])('says %s in %s', async (said, _when, day, now) => {
  expect(await saidIn('Europe/Berlin', 'dayInWords', day, now)).toBe(said);
});
