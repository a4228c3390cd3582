/** Browsers and systems by User-Agent. */
import { expect, test } from 'vitest';
import { deviceName } from '../../../pages/views/settings/you/device-name.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/156.0.0.0 Safari/537.36`],
  [
    'Edge on Windows',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/156.0 Safari/537.36 Edg/156.0`,
  ],
  ['Firefox on macOS', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 15.5; rv:153.0) Gecko/20100101 Firefox/153.0'],
  [
    'Safari on iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  ],
  ['Chrome on Android', `Mozilla/5.0 (Linux; Android 16; K) ${WEBKIT} Chrome/156.0.0.0 Mobile Safari/537.36`],
  ['A browser', 'x'.repeat(1000)],
  ['A browser', ''],
])('%s', (name, userAgent) => {
  expect(deviceName(userAgent)).toBe(name);
});

test('a session without a User-Agent has a name, too', () => {
  expect(deviceName(null)).toBe('A browser');
});
