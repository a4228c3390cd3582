/** Says the fields of a changed entry in words, as they were and as they are. */
import type { EntryFields } from '../../../src/core/sitemap/entry-fields.ts';
import { counted } from '../../parts/format.ts';
import { lastmodOf } from '../find/lastmod.ts';

type Field = keyof EntryFields;

/**
 * Returns texts with the same fields on both sides. A side that lacks a field says so. If both sides have the same words, the new side says
 * "other".
 */
export function saidFields(from: EntryFields, to: EntryFields): { from: string; to: string } {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])] as Field[];
  const sides = fields.map((field) => {
    const [former, now] = [say(field, from[field]), say(field, to[field])];
    return { former, now: former === now ? otherwise(now) : now };
  });
  return { from: sides.map(({ former }) => former).join(', '), to: sides.map(({ now }) => now).join(', ') };
}

/** Adds "other", as in `2 other images`. */
const otherwise = (said: string) => (/^\d/.test(said) ? said.replace(' ', ' other ') : `other ${said}`);

function say(field: Field, value: string | undefined): string {
  switch (field) {
    case 'lastmod':
      return value === undefined ? 'No date' : lastmodOf(value);
    case 'changefreq':
      return value ?? 'no frequency';
    case 'priority':
      return value === undefined ? 'no priority' : `priority ${value}`;
    case 'alternates':
      return value === undefined ? 'no languages' : value.replaceAll(' ', ', ');
    case 'images':
      return counted(Number(value ?? 0), 'image');
    case 'videos':
      return counted(Number(value ?? 0), 'video');
    case 'news':
      return value === undefined ? 'no news' : 'news';
  }
}
