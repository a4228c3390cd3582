import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Threads cannot change the zone of their clock, so a process of its own says the day. */
async function saidIn(zone: string, day: string, now: string): Promise<string> {
  const script = `
    import { utcDayInWords } from ${JSON.stringify(new URL('../../pages/parts/format.ts', import.meta.url).href)};
    console.log(utcDayInWords('${day}', Date.parse('${now}')));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { TZ: zone },
  });
  return stdout.trim();
}

test.each(['America/New_York', 'UTC', 'Pacific/Kiritimati'])(
  'a day in UTC is that day in %s',
  async (zone) => {
    const now = '2026-01-15T15:00:00Z';
    expect(await saidIn(zone, '2026-01-15', now)).toBe('today');
    expect(await saidIn(zone, '2026-01-14', now)).toBe('yesterday');
    expect(await saidIn(zone, '2026-01-12', now)).toBe('12 Jan');
    expect(await saidIn(zone, '2025-12-31', now)).toBe('31 Dec 2025');
  },
);
