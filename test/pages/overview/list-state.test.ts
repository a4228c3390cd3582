import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf, type ListState, pathOf, readState } from '../../../pages/views/overview/list-state.ts';

const REST: ListState = { search: '', filter: 'all', order: 'urgency', isWhole: false };

test('a list at rest has the bare address, and shows the first eight', () => {
  expect(addressOf(REST)).toBe('/dashboard');
  expect(readState({})).toEqual(REST);
  expect(readState({ show: 'nonsense', sort: '', all: 'no' })).toEqual(REST);
  expect(pathOf(REST)).toBe('overview/domains?filter=all&order=urgency&search=&limit=8');
  expect(pathOf({ ...REST, search: 'a' })).toContain('limit=100');
  expect(pathOf({ ...REST, isWhole: true })).toContain('limit=100');
});

test('each state comes back from its address', () => {
  const states = fc.record({
    search: fc.string({ unit: 'grapheme' }),
    filter: fc.constantFrom('all', 'needsYou', 'live'),
    order: fc.constantFrom('urgency', 'name', 'urls', 'newest'),
    isWhole: fc.boolean(),
  });
  fc.assert(
    fc.property(states, (state) => {
      const { searchParams } = new URL(addressOf(state as ListState), 'https://w.example');
      expect(readState(Object.fromEntries(searchParams))).toEqual(state);
    }),
  );
});
