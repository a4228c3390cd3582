import { describe, expect, test } from 'vitest';
import { whenFails, whenThere } from '../../../src/hosting/bodies/soon.ts';

const fail = () => {
  throw new Error('gone');
};
const rescue = (error: unknown) => `rescued: ${(error as Error).message}`;

describe('a value that is there', () => {
  test('continues at once', () => expect(whenThere(1, (n) => n + 1)).toBe(2));
  test('is rescued at once', () => expect(whenFails(fail, rescue)).toBe('rescued: gone'));
  test('needs no rescue', () => expect(whenFails(() => 'there', rescue)).toBe('there'));
});

describe('a value that comes later', () => {
  test('continues later', () => expect(whenThere(Promise.resolve(1), (n) => n + 1)).resolves.toBe(2));
  test('is rescued later', () =>
    expect(whenFails(async () => fail(), rescue)).resolves.toBe('rescued: gone'));
  test('needs no rescue', () => expect(whenFails(async () => 'there', rescue)).resolves.toBe('there'));
});
